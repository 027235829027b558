// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "writable_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "berth/error.hpp"

namespace berth::datasets {

bool is_replaced_whole(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  if (!file.has_filename()) {
    throw InputError("'" + file.string() + "': no name of a file; expected a file to write");
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (fs::is_directory(status)) {
    throw InputError(file.string() + ": is a folder; expected a file to write");
  }
  return !fs::exists(status) || fs::is_regular_file(status);
}

std::filesystem::path followed(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // as Linux follows
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return file;  // /dev/stdout leads to "pipe:[4711]", which is no name
  }
  fs::path target = file;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, ignored)); ++links) {
    if (links == kMostLinks) {
      throw InputError(file.string() + ": a symbolic link that leads back to itself; expected a " +
                       "file to write");
    }
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  return target;
}

void check_writable(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const auto refuse = [&file](int code) {
    throw InputError(file.string() + ": cannot create: " + std::generic_category().message(code));
  };
  if (!is_replaced_whole(file)) {
    if (access(file.c_str(), W_OK) != 0) {
      refuse(errno);
    }
    return;
  }
  fs::path trial = followed(file);
  trial += ".partial." + std::to_string(getpid());
  std::FILE* const output = std::fopen(trial.c_str(), "wb");
  if (output == nullptr) {
    refuse(errno);
  }
  std::fclose(output);
  std::error_code ignored;
  fs::remove(trial, ignored);
}

void check_writable_folder(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path there = folder;  // the nearest that exists
  while (there.has_relative_path() && !fs::exists(fs::symlink_status(there, ignored))) {
    there = there.parent_path();
  }
  there = there.empty() ? fs::path(".") : there;
  if (!fs::is_directory(there, ignored)) {
    throw InputError(folder.string() + ": " +
                     (there == folder ? "is no folder" : there.string() + " is no folder") +
                     "; expected a folder to write to");
  }
  const fs::path trial = there / (".partial." + std::to_string(getpid()));
  std::error_code error;
  fs::create_directory(trial, error);
  if (error) {
    throw InputError(folder.string() + ": cannot create: " + error.message());
  }
  fs::remove(trial, ignored);
}

}  // namespace berth::datasets

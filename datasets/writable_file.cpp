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

void check_writable(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const auto refuse = [&file](int code) {
    throw InputError(file.string() + ": cannot create: " + std::generic_category().message(code));
  };
  if (!file.has_filename()) {
    throw InputError("'" + file.string() + "': no name of a file; expected a file to write");
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (fs::is_directory(status)) {
    throw InputError(file.string() + ": is a folder; expected a file to write");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (access(file.c_str(), W_OK) != 0) {
      refuse(errno);
    }
    return;
  }
  fs::path trial = file;
  trial += ".partial." + std::to_string(getpid());
  std::FILE* const output = std::fopen(trial.c_str(), "wb");
  if (output == nullptr) {
    refuse(errno);
  }
  std::fclose(output);
  fs::remove(trial, ignored);
}

}  // namespace berth::datasets

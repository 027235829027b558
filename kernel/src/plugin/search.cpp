// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "search.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

namespace berth::internal {
namespace {

// An offer's name stands in its library as a string. To read a file is cheaper by far than to load
// it: a library may bring LibTorch with it.
bool mentions(const std::filesystem::path& file, const std::string& name) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  std::string bytes(error ? 0 : size, '\0');
  std::ifstream in(file, std::ios::binary);
  return in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) &&
         memmem(bytes.data(), bytes.size(), name.c_str(), name.size() + 1) != nullptr;
}

}  // namespace

std::vector<std::filesystem::path> plugin_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  // An empty path would mean the working directory, from which nothing is ever loaded unasked.
  if (directory.empty()) {
    return files;
  }
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("berth_") && name.ends_with(".so")) {
      files.push_back(entry->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::filesystem::path> plugin_files_for(
    std::span<const std::filesystem::path> directories, std::string_view name) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& directory : directories) {
    const std::vector<std::filesystem::path> found = plugin_files(directory);
    files.insert(files.end(), found.begin(), found.end());
  }
  std::string stem = "berth_" + std::string(name);
  std::replace(stem.begin(), stem.end(), '-', '_');
  const auto others = std::stable_partition(
      files.begin(), files.end(), [&stem](const auto& file) { return file.stem() == stem; });
  std::stable_partition(others, files.end(), [text = std::string(name)](const auto& file) {
    return mentions(file, text);
  });
  return files;
}

}  // namespace berth::internal

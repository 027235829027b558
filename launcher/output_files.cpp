// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "output_files.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <system_error>

#include "berth/error.hpp"

#include "datasets/writable_file.hpp"

namespace berth::launcher {

void check_output_files(const CommandLine& line, std::initializer_list<const char*> options) {
  std::error_code ignored;  // check_writable() says first what is wrong with a path
  std::map<std::filesystem::path, std::string> option_of;
  for (const char* const option : options) {
    if (!line.has(option)) {
      continue;
    }
    datasets::check_writable(line.text(option));
    // One file however it is written: out.json, ./out.json, through a link to it or its folder.
    const std::filesystem::path file = datasets::followed(line.text(option));
    const auto [earlier, is_new] = option_of.emplace(
        std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored),
        option);
    if (!is_new) {
      throw InputError("--" + earlier->second + " and --" + option + ": both " + line.text(option) +
                       "; expected two files");
    }
  }
}

void check_output_folders(const CommandLine& line, std::initializer_list<const char*> options) {
  for (const char* const option : options) {
    if (line.has(option)) {
      datasets::check_writable_folder(line.text(option));
    }
  }
}

}  // namespace berth::launcher

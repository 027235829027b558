// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "output_files.hpp"

#include <map>
#include <string>

#include "berth/error.hpp"

#include "datasets/writable_file.hpp"

namespace berth::launcher {

void check_output_files(const CommandLine& line, std::initializer_list<const char*> options) {
  std::map<std::string, std::string> option_of;
  for (const char* const option : options) {
    if (!line.has(option)) {
      continue;
    }
    const auto [earlier, is_new] = option_of.emplace(line.text(option), option);
    if (!is_new) {
      throw InputError("--" + earlier->second + " and --" + option + ": both " + earlier->first +
                       "; expected two files");
    }
    datasets::check_writable(line.text(option));
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

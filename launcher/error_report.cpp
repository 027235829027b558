// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "error_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

namespace berth::launcher {
namespace {

constexpr std::array kFaultsOfThePath = {std::errc::filename_too_long,
                                         std::errc::permission_denied,
                                         std::errc::no_such_file_or_directory,
                                         std::errc::not_a_directory,
                                         std::errc::is_a_directory,
                                         std::errc::file_exists,
                                         std::errc::read_only_file_system,
                                         std::errc::too_many_symbolic_link_levels,
                                         std::errc::invalid_argument};

ErrorReport report_of_path(const std::filesystem::filesystem_error& error) {
  const bool is_input = std::ranges::any_of(
      kFaultsOfThePath, [&error](std::errc fault) { return error.code() == fault; });
  return {is_input ? ExitCode::kBadInput : ExitCode::kRunFailed,
          one_line(error.path1().string() + ": " + error.code().message())};
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += ' ';
    } else if (byte < 0x20 || byte == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned>(byte));
      line += code;
    } else {
      line += c;
    }
  }
  return line;
}

ErrorReport report_of(const std::exception& error) {
  if (const auto* known = dynamic_cast<const Error*>(&error)) {
    return {known->code(), one_line(known->what())};
  }
  if (const auto* path = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return report_of_path(*path);
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return {ExitCode::kRunFailed, "out of memory; expected a smaller input or more memory"};
  }
  return {ExitCode::kInternal, one_line(error.what())};
}

}  // namespace berth::launcher

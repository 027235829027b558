// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "berth/error.hpp"

namespace berth::launcher {

/// `text` without control characters, which are shown as `\n` or `\x1b`: messages quote file names
/// and file contents, and stay one line whatever these hold.
[[nodiscard]] std::string one_line(std::string_view text);

/// What the executable says of an exception, and the code with which it ends.
struct ErrorReport {
  ExitCode code = ExitCode::kInternal;
  std::string text;  ///< One line, without its end.
};

/// Berth's own errors carry their code. A path that the system refuses is bad input where the path
/// itself is at fault (too long, not permitted, absent) and a failed run otherwise (disk full);
/// lack of memory is a failed run; any other exception is a bug.
[[nodiscard]] ErrorReport report_of(const std::exception& error);

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "error_report.hpp"

namespace berth::launcher {

// What ranks tell each other in an exchange: what each has to say, or how it failed.

/// A message: the code of a failure, or 0, and the text.
[[nodiscard]] std::string message_of(ExitCode code, const std::string& text);

/// The first rank's failure among the messages, with who failed unless all did alike.
[[nodiscard]] std::optional<ErrorReport> failure_of(const std::vector<std::string>& messages);

/// What the messages say. @throws Error of a failure's category if one of them is one.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<std::string>& messages);

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "peer_message.hpp"

#include <algorithm>

namespace berth::launcher {
namespace {

ExitCode code_of(const std::string& message) {
  return static_cast<ExitCode>(message.at(0));
}

}  // namespace

std::string message_of(ExitCode code, const std::string& text) {
  return static_cast<char>(code) + text;
}

std::optional<ErrorReport> failure_of(const std::vector<std::string>& messages) {
  const auto bad =
      std::ranges::find_if(messages, [](const auto& m) { return code_of(m) != ExitCode::kOk; });
  if (bad == messages.end()) {
    return std::nullopt;
  }
  const bool everywhere = std::ranges::all_of(messages, [&](const auto& m) { return m == *bad; });
  const std::string who = everywhere ? "" : "rank " + std::to_string(bad - messages.begin()) + ": ";
  return ErrorReport{code_of(*bad), who + bad->substr(1)};
}

std::vector<std::string> texts_of(const std::vector<std::string>& messages) {
  if (const std::optional<ErrorReport> failure = failure_of(messages)) {
    throw Error(failure->code, failure->text);
  }
  std::vector<std::string> texts;
  for (const std::string& message : messages) {
    texts.push_back(message.substr(1));
  }
  return texts;
}

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "berth/logger.hpp"

namespace berth::fuzz {

/// Drops every line.
class SilentLogger final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view /*line*/) override {}
  [[nodiscard]] LogLevel level() const override { return LogLevel::kError; }
};

}  // namespace berth::fuzz

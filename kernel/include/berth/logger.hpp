// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

/// One key=value of a log line.
struct BERTH_API LogField {
  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  LogField(std::string_view name, const char* text) : key(name), value(text) {}
  LogField(std::string_view name, double number);
  LogField(std::string_view name, std::int64_t number);
  LogField(std::string_view name, std::uint64_t number);
  LogField(std::string_view name, int number);

  std::string_view key;
  std::string value;
};

/// Where log lines go; passed in, never global. Implementations are thread-safe.
class BERTH_API Logger {
 public:
  Logger() = default;
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;
  virtual ~Logger();

  virtual void write(LogLevel level, std::string_view line) = 0;
  [[nodiscard]] virtual LogLevel level() const = 0;

  void log(LogLevel at, std::string_view message, std::initializer_list<LogField> fields = {});
  void debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
    log(LogLevel::kDebug, message, fields);
  }
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) {
    log(LogLevel::kInfo, message, fields);
  }
  void warning(std::string_view message, std::initializer_list<LogField> fields = {}) {
    log(LogLevel::kWarning, message, fields);
  }
  void error(std::string_view message, std::initializer_list<LogField> fields = {}) {
    log(LogLevel::kError, message, fields);
  }
};

/// Writes "[level] message key=value" lines to standard error, behind an optional prefix.
class BERTH_API StderrLogger final : public Logger {
 public:
  explicit StderrLogger(LogLevel level = LogLevel::kInfo, std::string prefix = {});
  void write(LogLevel level, std::string_view line) override;
  [[nodiscard]] LogLevel level() const override { return level_; }

 private:
  LogLevel level_;
  std::string prefix_;
};

}  // namespace abi_v1
}  // namespace berth

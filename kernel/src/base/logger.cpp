// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/logger.hpp"

#include <charconv>
#include <cstdio>
#include <string>

namespace berth {
inline namespace abi_v1 {
namespace {

template <class Number>
std::string shortest(Number number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  return {buffer, end};
}

constexpr std::string_view kLevelNames[] = {"debug", "info", "warning", "error"};

}  // namespace

LogField::LogField(std::string_view name, double number) : key(name), value(shortest(number)) {}
LogField::LogField(std::string_view name, std::int64_t number)
    : key(name), value(shortest(number)) {}
LogField::LogField(std::string_view name, std::uint64_t number)
    : key(name), value(shortest(number)) {}
LogField::LogField(std::string_view name, int number) : key(name), value(shortest(number)) {}

Logger::~Logger() = default;

void Logger::log(LogLevel at, std::string_view message, std::initializer_list<LogField> fields) {
  if (at < level()) {
    return;
  }
  std::string line(message);
  for (const LogField& field : fields) {
    line.append(" ").append(field.key).append("=").append(field.value);
  }
  write(at, line);
}

StderrLogger::StderrLogger(LogLevel level, std::string prefix)
    : level_(level), prefix_(std::move(prefix)) {}

void StderrLogger::write(LogLevel level, std::string_view line) {
  std::string text = "[" + std::string(kLevelNames[static_cast<std::size_t>(level)]) + "] ";
  text.append(prefix_).append(line).append("\n");
  // One call per line: lines of several threads or ranks do not interleave.
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace abi_v1
}  // namespace berth

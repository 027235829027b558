// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/error.hpp"

#include <string>

namespace berth {
inline namespace abi_v1 {

// Defined here so that each type has one home for its virtual table: an exception thrown by a
// plugin is caught by type in the host.
Error::~Error() = default;
RunError::~RunError() = default;
InputError::~InputError() = default;
PluginError::~PluginError() = default;
SolverError::~SolverError() = default;
CheckpointError::~CheckpointError() = default;
InternalError::~InternalError() = default;

void rethrow_with_context(const Error& error, std::string_view context) {
  const std::string message = std::string(context) + ": " + error.what();
  if (dynamic_cast<const CheckpointError*>(&error) != nullptr) {
    throw CheckpointError(message);
  }
  switch (error.code()) {
    case ExitCode::kBadInput:
      throw InputError(message);
    case ExitCode::kPlugin:
      throw PluginError(message);
    case ExitCode::kSolver:
      throw SolverError(message);
    case ExitCode::kRunFailed:
      throw RunError(message);
    default:
      throw InternalError(message);
  }
}

void fail_check(const char* file, int line, const char* condition, const std::string& message) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + message +
                      "; expected: " + condition + "; this is a bug in berth");
}

}  // namespace abi_v1
}  // namespace berth

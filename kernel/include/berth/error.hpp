// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// Exit codes of the `berth` executable; each error category maps to one.
enum class ExitCode : int {
  kOk = 0,
  kRunFailed = 1,
  kBadInput = 2,
  kPlugin = 3,
  kSolver = 4,
  kInternal = 70,
};

/// "Cannot do what was asked". The message reads
/// `place: what was found; what was expected; what to do`, in one line.
class BERTH_API Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ~Error() override;

  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// A run that was asked for correctly and failed: disk full, rank lost, too many failed rollouts.
class BERTH_API RunError : public Error {
 public:
  explicit RunError(const std::string& message) : Error(ExitCode::kRunFailed, message) {}
  ~RunError() override;
};

/// Bad usage or bad input: file, option, unit, graph, placement.
class BERTH_API InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ExitCode::kBadInput, message) {}
  ~InputError() override;
};

/// A plugin that cannot be loaded, or that breaks its contract.
class BERTH_API PluginError : public Error {
 public:
  explicit PluginError(const std::string& message) : Error(ExitCode::kPlugin, message) {}
  ~PluginError() override;
};

/// No solution exists, or none was found within the limits given.
class BERTH_API SolverError : public Error {
 public:
  explicit SolverError(const std::string& message) : Error(ExitCode::kSolver, message) {}
  ~SolverError() override;
};

/// A checkpoint that is truncated, foreign, newer or corrupt (exit code of bad input).
class BERTH_API CheckpointError : public Error {
 public:
  explicit CheckpointError(const std::string& message) : Error(ExitCode::kBadInput, message) {}
  ~CheckpointError() override;
};

/// A broken invariant of Berth itself.
class BERTH_API InternalError : public Error {
 public:
  explicit InternalError(const std::string& message) : Error(ExitCode::kInternal, message) {}
  ~InternalError() override;
};

/// Throws a copy of `error` of the same category with `context: ` in front of its message.
[[noreturn]] BERTH_API void rethrow_with_context(const Error& error, std::string_view context);

[[noreturn]] BERTH_API void fail_check(const char* file,
                                       int line,
                                       const char* condition,
                                       const std::string& message);

}  // namespace abi_v1
}  // namespace berth

/// Always-on check of an invariant; a failure is a bug in Berth (InternalError, exit 70).
#define BERTH_CHECK(condition, message)                               \
  do {                                                                \
    if (!(condition)) {                                               \
      ::berth::fail_check(__FILE__, __LINE__, #condition, (message)); \
    }                                                                 \
  } while (false)

/// BERTH_CHECK for hot loops: compiled in debug and sanitizer builds only.
#ifdef NDEBUG
#define BERTH_DCHECK(condition, message) static_cast<void>(0)
#else
#define BERTH_DCHECK(condition, message) BERTH_CHECK(condition, message)
#endif

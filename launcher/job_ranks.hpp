// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/rank_executor.hpp"

#include "error_report.hpp"

namespace berth::launcher {

class MpiSession;
class Watchdog;

/// The processes of one command: this one alone, or the ranks of a job under mpirun, all of which
/// run the command and make the same exchanges in the same order. The first of them prints.
class JobRanks final : public PeerGroup {
 public:
  /// Starts MPI, if this process was started by a launcher of MPI (it costs a tenth of a second).
  JobRanks();
  ~JobRanks() override;

  std::uint32_t rank() const noexcept override;
  std::uint32_t size() const noexcept override;
  std::uint32_t node_rank() const noexcept override;
  double silence_seconds() const noexcept override { return silence_seconds_; }
  std::vector<std::string> all_gather(const std::string& mine,
                                      const char* what,
                                      double busy_seconds) override;

  /// From here on no rank may be silent for longer, 0: for ever, as all are until then. One that
  /// is, as it waits for its devices in vain, ends itself.
  /// @param work_seconds that it may be at work beyond, from one exchange to the next.
  void watch(double seconds, double work_seconds);

  /// Runs what every rank does. What one throws, the others throw in their next exchange; what all
  /// run into is said once, by rank 0. A rank that is silent for too long ends the job.
  /// @return the exit code.
  /// @throws what `action` throws, if this process is alone.
  static int run(const std::function<int(JobRanks&)>& action);

 private:
  /// @throws RunError if a rank is silent; the failure that one of them tells.
  std::vector<std::string> exchange(const std::string& message,
                                    const char* what,
                                    double busy_seconds);

  std::unique_ptr<MpiSession> session_;  ///< Null: alone.
  std::unique_ptr<Watchdog> watchdog_;   ///< Null: none, or not yet.
  std::uint64_t exchanges_ = 0;
  double silence_seconds_ = 0.0;
  std::optional<ErrorReport> failure_;  ///< That all ranks know of.
  std::optional<ErrorReport> loss_;     ///< Why an exchange failed: the others cannot be told.
};

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/rank_executor.hpp"

#include "device_share.hpp"
#include "execution_plan.hpp"
#include "run_record.hpp"

namespace berth::executors {

/// This rank's share of a problem's devices.
/// @throws InputError if there are fewer devices than ranks.
[[nodiscard]] DeviceShare share_devices(std::size_t devices, const PeerGroup& peers);

/// What the ranks that run placements together settle around each run, so that all of them give the
/// same answers. Every function is collective; where there is one rank, it answers for itself and
/// costs nothing. All throw as PeerGroup::all_gather().
class RankGroup {
 public:
  /// One rank with all devices.
  explicit RankGroup(std::size_t devices) : share_(devices) {}
  /// @throws as share_devices().
  RankGroup(std::size_t devices, PeerGroup& peers);

  [[nodiscard]] const DeviceShare& share() const noexcept { return share_; }
  /// Longest silence of another rank, in seconds; 0: for ever.
  [[nodiscard]] double silence_seconds() const noexcept {
    return peers_ == nullptr ? 0.0 : peers_->silence_seconds();
  }
  /// Longest time of a run: as asked, but where there are others none lasts longer than silence.
  [[nodiscard]] double longest_run(double timeout_seconds) const noexcept {
    return timeout_seconds > 0.0 ? timeout_seconds : silence_seconds();
  }

  /// @throws InputError naming a rank whose text is another.
  void expect_equal(const std::string& mine, const char* what);
  /// Every rank is asked for the same runs. @param reason why this one cannot make them.
  /// @return the first rank's reason, naming the rank; none if all are ready.
  /// @throws InputError naming a rank that was asked for others.
  [[nodiscard]] std::optional<std::string> agree(const Placement& placement,
                                                 const MeasureSpec& spec,
                                                 const std::optional<std::string>& reason);
  /// All go on from here at the same time, to some microseconds.
  void start();
  /// The longest time of any rank; none if one gave up.
  [[nodiscard]] std::optional<double> slowest(std::optional<double> seconds,
                                              double timeout_seconds);
  /// The parts of a record that its owners hold: ops and arrivals by their device's rank, the start
  /// of a transfer by its source's. Times are since start().
  [[nodiscard]] RunRecord merged(const RunRecord& mine, const ExecutionPlan& plan) const;
  /// The values of the rank that owns `device`; others pass none.
  [[nodiscard]] std::vector<float> from_owner(std::uint32_t device,
                                              std::vector<float> values) const;
  /// Every rank's text, joined; equal ones once.
  [[nodiscard]] std::string join(const std::string& mine);

 private:
  PeerGroup* peers_ = nullptr;  ///< None: alone.
  DeviceShare share_;
};

}  // namespace berth::executors

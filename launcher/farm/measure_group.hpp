// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "berth/rank_executor.hpp"

#include "mpi_session.hpp"

namespace berth::launcher {

/// Which of a job's ranks measure a placement together with one of them.
struct MeasurePlace {
  std::size_t group = 0;  ///< Number among the groups that measure; `groups` of a rank in none.
  std::size_t groups = 0;
  std::vector<int> ranks;  ///< Of the group, ascending; the first reports. Empty of a rank in none.
};

/// The last `measuring` ranks measure, all where there are fewer, in groups of `group_size`.
/// @throws InputError if that does not come out even.
[[nodiscard]] MeasurePlace measure_place(int rank,
                                         int size,
                                         std::uint32_t measuring,
                                         std::uint32_t group_size);

/// The ranks of a group to each other. As members number themselves, so do messages.
class MeasureGroup final : public PeerGroup {
 public:
  /// @param ranks with this one. @param silence_seconds that the session's watchdog allows.
  MeasureGroup(MpiSession& session, std::vector<int> ranks, double silence_seconds);

  std::uint32_t rank() const noexcept override { return rank_; }
  std::uint32_t size() const noexcept override { return static_cast<std::uint32_t>(ranks_.size()); }
  std::uint32_t node_rank() const noexcept override { return session_.node_rank(); }
  double silence_seconds() const noexcept override { return silence_seconds_; }
  std::vector<std::string> all_gather(const std::string& mine,
                                      const char* what,
                                      double busy_seconds) override;

  /// Tells the others that this rank failed, in their next exchange, unless they know.
  void tell(const std::exception& error);

 private:
  MpiSession& session_;
  std::vector<int> ranks_;
  std::uint32_t rank_ = 0;
  double silence_seconds_;
  bool is_over_ = false;  ///< One failed, and all know, or none answers.
};

}  // namespace berth::launcher

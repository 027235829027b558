// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "job_ranks.hpp"

namespace berth::launcher {

// Built where there is no MPI: one process.
class MpiSession {};
class Watchdog {};

JobRanks::JobRanks() = default;
JobRanks::~JobRanks() = default;
std::uint32_t JobRanks::rank() const noexcept {
  return 0;
}
std::uint32_t JobRanks::size() const noexcept {
  return 1;
}
std::uint32_t JobRanks::node_rank() const noexcept {
  return 0;
}

std::vector<std::string> JobRanks::all_gather(const std::string& mine,
                                              const char* /*what*/,
                                              double /*busy_seconds*/) {
  return {mine};
}

void JobRanks::watch(double seconds, double /*work_seconds*/) {
  silence_seconds_ = seconds;
}

int JobRanks::run(const std::function<int(JobRanks&)>& action) {
  JobRanks alone;
  return action(alone);
}

}  // namespace berth::launcher

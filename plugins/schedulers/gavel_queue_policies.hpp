// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>

#include "berth/mersenne_stream.hpp"

#include "gavel_policy.hpp"

namespace berth::schedulers {

/// `isolated`: every job has its 1/N share of every type.
class IsolatedPolicy final : public GavelPolicy {
 public:
  [[nodiscard]] Allocation solve(const RoundContext& context) override;
};

/// `fifo_perf`: in order of id, each job on its fastest type with room; stops at the first job
/// that fits nowhere; decides anew at every solution.
class FastestFifoPolicy final : public GavelPolicy {
 public:
  [[nodiscard]] Allocation solve(const RoundContext& context) override;
  [[nodiscard]] bool skips_zero_priority() const override { return true; }
};

/// `fifo`: in order of id, each job on a random type with room, where it stays. The original
/// always takes the last of these types whatever it drew; repaired, it takes the one drawn.
/// Source: stanford-futuredata/gavel, policies/fifo.py.
class RandomTypeFifoPolicy final : public GavelPolicy {
 public:
  RandomTypeFifoPolicy(std::uint32_t seed, bool repaired) : stream_(seed), repaired_(repaired) {}
  [[nodiscard]] Allocation solve(const RoundContext& context) override;
  [[nodiscard]] bool skips_zero_priority() const override { return true; }

 private:
  void fill_from_queue(const RoundContext& context,
                       std::vector<const JobState*> queue,
                       std::vector<std::int64_t>& free);

  MersenneStream stream_;
  bool repaired_;
  std::map<JobId, std::size_t> type_of_;  // job -> type, between solutions
};

}  // namespace berth::schedulers

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/cluster_scheduler.hpp"
#include "berth/rng.hpp"

#include "pure_gangs.hpp"

namespace berth::schedulers {

/// In which order jobs are served. Sources: msr-fiddle/blox; SymbioticLab/Tiresias.
enum class JobOrder : std::uint8_t {
  kArrival,           ///< First in, first out.
  kRemainingTime,     ///< SRTF: remaining steps / best rate.
  kRemainingService,  ///< SRSF: the same times the gang.
  kAttainedService,   ///< LAS: seconds run times the gang.
  kTiresias,          ///< Discretised LAS: by queue, running first, then arrival.
  kRandom,            ///< A new random order every round.
};

/// Which accelerator type a job takes, of those with room and a throughput > 0.
enum class TypeRule : std::uint8_t {
  kFastest,   ///< The one with the best rate.
  kMostFree,  ///< The one with most left; blind to speed.
  kRandom,
};

struct ListOptions {
  JobOrder order = JobOrder::kArrival;
  TypeRule type_rule = TypeRule::kMostFree;
  bool preempts = true;  ///< false: started jobs keep their accelerators to the end.
  bool blocks = false;   ///< The first job that does not fit stops the round.
  std::vector<double> queue_limits_gpu_seconds;  ///< kTiresias: attained service that demotes.
  double promote_knob = 0.0;  ///< kTiresias: pending / executed time that promotes; 0: never.
};

/// Serves jobs in an order, each whole gang on one type: YARN-CS FIFO, SRTF, SRSF, LAS, Tiresias.
class ListScheduler final : public ClusterScheduler {
 public:
  ListScheduler(ListOptions options, std::uint64_t seed);

  [[nodiscard]] RoundSchedule schedule(const RoundContext& context) override;
  [[nodiscard]] std::string explain(JobId job) const override;

 private:
  /// Since a job last entered the first queue of Tiresias.
  struct QueueStay {
    double entered_seconds = -1.0;  // < 0: not seen yet
    double executed_seconds = 0.0;  // by then
  };
  void promote_starving(const RoundContext& context);
  /// kTiresias: GPU-seconds since the job last entered the first queue.
  [[nodiscard]] double attained_service(const JobState& job) const;
  [[nodiscard]] std::ptrdiff_t queue_of(const JobState& job) const;
  [[nodiscard]] bool is_settled(const RoundContext& context) const;
  [[nodiscard]] double key(const RoundContext& context, const JobState& job) const;
  [[nodiscard]] std::vector<std::size_t> rows_in_order(const RoundContext& context) const;
  [[nodiscard]] std::size_t pick_type(const RoundContext& context,
                                      const JobState& job,
                                      const std::vector<std::uint32_t>& left,
                                      Rng& rng) const;

  ListOptions options_;
  std::uint64_t seed_;
  std::vector<QueueStay> stays_;     // kTiresias with promotion: by job id
  std::vector<JobId> served_;        // last round: jobs in order of service
  std::vector<std::uint32_t> left_;  // last round: accelerators left by type
  std::vector<JobId> running_;       // last round: who got accelerators
  RoundSchedule last_;               // without preemption: the last decision,
  std::uint64_t decided_at_ = 0;     // its round,
  bool settled_ = false;             // and whether it holds until a job arrives or leaves
};

}  // namespace berth::schedulers

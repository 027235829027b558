// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/cluster.hpp"
#include "berth/cluster_job.hpp"
#include "berth/cluster_scheduler.hpp"
#include "berth/state.hpp"
#include "berth/training_job.hpp"

#include "merge.hpp"
#include "mix.hpp"
#include "rate_estimate.hpp"
#include "slot_messages.hpp"

namespace berth::launcher {

/// What a job of the mix turned out to be when its model was made.
struct JobFacts {
  TrainingSize size;
  std::vector<TrainingTensor> tensors;
  std::uint64_t steps = 0;  ///< In all.
  std::vector<float> state;
  TrainingCounters counters;
  TrainingScore start;  ///< On test samples, before the first step; names the metric.
};

/// One copy in one round.
struct CopyRecord {
  std::uint64_t round = 0;
  std::uint32_t job = 0;
  std::uint32_t node = 0;
  std::uint64_t planned = 0;
  std::uint64_t steps = 0;
  double start_seconds = 0.0;  ///< On the run's clock.
  double seconds = 0.0;        ///< Training.
  double believed = 0.0;       ///< Steps/s when the slot was planned.
  double measured = 0.0;       ///< Steps/s; 0: none, or slots counted in steps.
  double omega = 0.0;
  double loss = 0.0;  ///< Mean of its steps.
  bool failed = false;
};

/// How good a job's merged model is after a round in which it ran.
struct ScoreRecord {
  std::uint64_t round = 0;
  std::uint32_t job = 0;
  std::uint64_t steps = 0;  ///< So far.
  double clock_seconds = 0.0;
  double validation_loss = 0.0;
  double validation = 0.0;  ///< The metric.
  double test = 0.0;
};

/// A job as the tracker follows it.
struct TrackedJob {
  std::string name;
  JobFacts facts;  ///< State and counters are those of the merged model.
  std::uint64_t remaining = 0;
  std::vector<double> rates;            ///< [nodes] steps/s believed.
  std::vector<double> estimates;        ///< [nodes] as believed when first measured, or now.
  std::vector<std::uint64_t> measured;  ///< [nodes] slots behind the rate; 0: an estimate.
  std::uint32_t restarts = 0;           ///< Copies that moved to a node from another job.
  std::uint32_t rounds = 0;
  std::uint32_t failed_rounds = 0;  ///< In a row, in which no copy counted.
  double executed_seconds = 0.0;
  double first_start_seconds = -1.0;
  double finish_seconds = -1.0;  ///< < 0: not yet.
  double prepare_seconds = 0.0;  ///< Believed cost of taking up the job.
  std::vector<std::uint32_t> last_nodes;
  bool ran_last_round = false;
};

/// The Job Tracker of HadarE (arXiv 2503.10918): divides slots among the copies of each job,
/// follows their steps and rates, and merges them. Knows no MPI; deterministic where slots are
/// counted in steps.
class JobTracker {
 public:
  /// @param present Nodes that take part: the first ones of the mix.
  /// References must outlive the tracker.
  JobTracker(const Mix& mix, std::vector<JobFacts> facts, std::size_t present);

  [[nodiscard]] bool is_done() const;
  [[nodiscard]] std::uint64_t round() const noexcept { return round_; }
  [[nodiscard]] double clock_seconds() const noexcept { return clock_; }

  /// Orders for the next slot. Copies of a job together never get more steps than remain.
  /// @throws PluginError if the scheduler breaks its contract; RunError if it starts nothing.
  [[nodiscard]] SlotOrders plan(ClusterScheduler& scheduler);

  /// Takes in what came of a slot: subtracts the steps really done, merges states, corrects rates,
  /// advances the clock.
  /// @param states [nodes] packed; may be empty where nothing counts.
  /// @param exchange_seconds Gathering and merging, as measured.
  /// @throws RunError naming a job none of whose copies counted three rounds in a row, and why.
  void apply(const SlotOrders& orders,
             std::span<const CopyReport> reports,
             std::span<const std::vector<float>> states,
             double exchange_seconds);
  void note_score(ScoreRecord score);

  [[nodiscard]] std::span<const TrackedJob> jobs() const noexcept { return jobs_; }
  [[nodiscard]] std::span<const CopyRecord> copies() const noexcept { return copies_; }
  [[nodiscard]] std::span<const ScoreRecord> scores() const noexcept { return scores_; }
  [[nodiscard]] std::span<const double> busy_seconds() const noexcept { return busy_; }
  [[nodiscard]] const Mix& mix() const noexcept { return *mix_; }
  [[nodiscard]] std::size_t present() const noexcept { return present_; }

  /// Present nodes as a cluster: each a machine and a type of its own.
  [[nodiscard]] const Cluster& cluster() const noexcept { return cluster_; }
  /// Jobs with the rates believed now, for the scheduler and its bound.
  [[nodiscard]] std::vector<JobSpec> specs() const;

  /// Everything: /job/<id>/round/<k>/... and /tracker/... of checkpoints/SCHEMA.md.
  void save(StateWriter& writer) const;
  /// @throws CheckpointError naming what does not fit, or a checksum that is wrong.
  void load(const StateReader& reader);

 private:
  struct Team {
    std::uint32_t job = 0;
    std::vector<std::uint32_t> nodes;
  };
  /// What became of the jobs of the round before, latest end first.
  [[nodiscard]] std::vector<JobOutcome> last_outcomes() const;
  [[nodiscard]] std::vector<Team> decide(ClusterScheduler& scheduler);
  [[nodiscard]] double slot_seconds(std::uint32_t job) const;
  void divide(const Team& team, SlotOrders& orders);
  void merge(const Team& team,
             const SlotOrders& orders,
             std::span<const CopyReport> reports,
             std::span<const std::vector<float>> states);
  void correct(TrackedJob& job, std::uint32_t node, double measured);
  void estimate_rates();

  const Mix* mix_;
  std::size_t present_;
  Cluster cluster_;
  std::vector<TrackedJob> jobs_;
  std::vector<std::int32_t> last_job_;  // [nodes], -1: none
  std::vector<double> busy_;            // [nodes]
  std::vector<CopyRecord> copies_;      // all rounds
  std::vector<ScoreRecord> scores_;
  std::vector<Team> teams_;  // of the slot at hand
  std::uint64_t round_ = 0;  // rounds done
  double clock_ = 0.0;
  double merge_seconds_ = 0.0;  // believed cost of a merge
};

}  // namespace berth::launcher

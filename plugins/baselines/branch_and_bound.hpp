// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "berth/problem.hpp"

#include "schedule_bounds.hpp"
#include "visited_states.hpp"

namespace berth::baselines {

/// Exact search for the shortest static-order schedule in the `delay` model.
///
/// Depth first over partial schedules to which ops are appended by ascending start time, each op
/// on each device. A branch is cut when
/// - a lower bound reaches the shortest schedule known: least starts over the devices as they
///   stand, propagated through the rest of the graph with least_join(), plus tails; and load;
/// - a state that offers the same future was seen before, identical devices sorted.
/// Ideas after Sinnen 2014 (exhaustive list scheduling with duplicate detection).
class BranchAndBound {
 public:
  /// The problem must outlive the object.
  explicit BranchAndBound(const PlacementProblem& problem);

  /// Called now and then with the nodes visited since the last call; true stops the search.
  using StopCheck = std::function<bool(std::uint64_t nodes)>;
  /// Called with each schedule that is shorter than all before.
  using Improve = std::function<void(const Placement& placement, double makespan)>;

  /// Searches for schedules shorter than `incumbent`. @return true if the search was completed:
  /// the last improvement, or else the incumbent, is optimal.
  [[nodiscard]] bool run(double incumbent, const StopCheck& stop, const Improve& improve);

 private:
  struct Branch {
    double bound;
    double start;
    std::uint32_t op;
    std::uint32_t device;
  };

  void visit(std::size_t depth);
  /// A lower bound for all completions of the current state; fills signature_ on the way.
  [[nodiscard]] double bound_state();
  [[nodiscard]] double least_finish(std::size_t op);
  [[nodiscard]] bool worse(double bound) const noexcept;
  [[nodiscard]] Fingerprint fingerprint();
  void collect(std::vector<Branch>& branches);
  [[nodiscard]] double data_ready(std::size_t op, std::size_t device) const noexcept;
  void apply(const Branch& branch);
  void take_back(const Branch& branch, double idle, double clock);
  void record();

  const PlacementProblem* problem_;
  const StopCheck* stop_ = nullptr;
  const Improve* improve_ = nullptr;
  LeastTimes least_;
  VisitedStates visited_;
  std::vector<std::uint32_t> group_;  ///< [devices] interchangeable devices
  std::vector<std::uint32_t> twin_;   ///< [ops] equal op that must start first, or itself
  std::vector<std::uint32_t> topological_;
  bool memory_limited_ = false;

  double incumbent_ = 0.0;
  bool stopped_ = false;
  std::uint64_t unreported_nodes_ = 0;

  double clock_ = 0.0;           ///< Start of the op appended last.
  double remaining_work_ = 0.0;  ///< Least compute time of the ops not scheduled.
  std::size_t scheduled_ = 0;
  std::vector<double> idle_;               ///< [devices] end of the last op
  std::vector<double> room_;               ///< [devices] bytes left
  std::vector<double> start_;              ///< [ops]
  std::vector<double> finish_;             ///< [ops]; below zero: not scheduled
  std::vector<std::uint32_t> device_;      ///< [ops]
  std::vector<std::uint32_t> missing_;     ///< [ops] unscheduled predecessors
  std::vector<double> least_start_;        ///< [ops] of unscheduled ops, by bound_state()
  std::vector<double> least_end_;          ///< [ops]
  std::vector<double> ready_;              ///< [ops * devices] data ready or device idle
  std::vector<Fingerprint> device_marks_;  ///< [devices]
  std::vector<PendingInput> pending_;
  std::vector<std::vector<Branch>> branches_;  ///< By depth.
};

}  // namespace berth::baselines

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "general_engine.hpp"
#include "packed_problem.hpp"
#include "time_key.hpp"
#include "waiting_ops.hpp"

namespace berth::internal {

/// `doppler-reference`: pure delays in the event order of the public DOPPLER simulator
/// (github.com/xinyuyao/Doppler, a SimPy program). Events are keyed (time, sequence number of
/// their scheduling). Under fifo a device serves requests in the order in which they were made.
///
/// An op passes Ready -> Grant -> Done -> Release of its device and Finish; each of its edges
/// Arrive -> Count. All but Done and the remote Arrives are scheduled for the present instant:
/// these go to a first-in-first-out ring, which keeps the sequence because whatever the heap holds
/// for an instant was scheduled before it.
///
/// Operations of one run: one heap push and pop an op and a remote edge, four ring entries an op,
/// at most two an edge. Allocates nothing without a trace.
class ReferenceOrder final : public GeneralEngine {
 public:
  explicit ReferenceOrder(const PackedProblem& packed);

  [[nodiscard]] double run(std::span<const DeviceId> device,
                           std::span<const double> order,
                           Discipline discipline,
                           Trace* trace) override;
  [[nodiscard]] double finish_sum() const noexcept override { return finish_sum_; }
  [[nodiscard]] std::string explain_deadlock() const override;

 private:
  enum class Kind : std::uint64_t { kReady, kGrant, kDone, kRelease, kFinish, kArrive, kCount };
  struct Later {
    TimeKey time_and_sequence;
    std::uint64_t event;

    bool operator<(const Later& other) const noexcept {
      return time_and_sequence < other.time_and_sequence;
    }
  };

  static std::uint64_t event(Kind kind, std::uint64_t id) noexcept {
    return static_cast<std::uint64_t>(kind) << 60U | id;
  }
  void schedule_now(Kind kind, std::uint64_t id) noexcept;
  void schedule_at(double time, Kind kind, std::uint64_t id) noexcept;
  void serve(std::uint32_t device) noexcept;
  void finish(std::size_t op);
  void handle(std::uint64_t event);
  void grant(std::size_t op);

  const PackedProblem* packed_;
  std::vector<OpState> op_;
  WaitingOps waiting_;
  std::vector<std::uint32_t> idle_;
  std::vector<Later> later_;  ///< Heap of the events of later instants.
  std::size_t later_size_ = 0;
  std::uint64_t sequence_ = 0;
  std::vector<std::uint64_t> now_ring_;  ///< Size a power of two.
  std::size_t now_first_ = 0;
  std::size_t now_end_ = 0;
  double now_ = 0.0;
  double requests_ = 0.0;  ///< Ready events so far: the rank of a request under fifo.
  std::size_t done_ = 0;
  double finish_sum_ = 0.0;
  Trace* trace_ = nullptr;
};

}  // namespace berth::internal

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "arena_plan.hpp"

#include <algorithm>

namespace berth::executors {
namespace {

constexpr std::uint64_t kLine = 64;  ///< Results start on cache lines of their own.

struct Resident {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t task = 0;
};

class Planner {
 public:
  Planner(const ExecutionPlan& plan, const Reachability* reach, Reuse reuse)
      : plan_(plan), reach_(reach), reuse_(reuse) {}

  /// Whether `new_task` may take over the memory of `old_task`: its result is dead in every
  /// execution before `new_task` starts, and no transfer has read it if that counts.
  [[nodiscard]] bool gives_way_to(std::uint32_t old_task, std::uint32_t new_task) const {
    if (reach_ == nullptr || plan_.successors(old_task).empty()) {
      return false;
    }
    for (const std::uint32_t next : plan_.successors(old_task)) {
      const bool kept = reuse_ == Reuse::kUnsent && plan_.is_transfer(next);
      if (kept || !ended_before(next, new_task)) {
        return false;
      }
    }
    return true;
  }

 private:
  /// An op precedes by a path; a transfer has ended when one of its consumers starts.
  [[nodiscard]] bool ended_before(std::uint32_t task, std::uint32_t new_task) const {
    if (plan_.is_transfer(task)) {
      return std::ranges::any_of(plan_.successors(task), [&](std::uint32_t consumer) {
        return consumer == new_task || op_ended_before(consumer, new_task);
      });
    }
    return op_ended_before(task, new_task);
  }
  [[nodiscard]] bool op_ended_before(std::uint32_t op, std::uint32_t new_task) const {
    if (plan_.is_transfer(new_task)) {  // starts when its producer has ended
      const std::uint32_t producer = plan_.transfer_of(new_task).producer;
      return op == producer || reach_->precedes(op, producer);
    }
    return reach_->precedes(op, new_task);
  }

  const ExecutionPlan& plan_;
  const Reachability* reach_;
  Reuse reuse_;
};

}  // namespace

ArenaPlan plan_arenas(const Graph& graph,
                      const ExecutionPlan& plan,
                      std::span<const std::uint64_t> output_bytes,
                      const Reachability* reach,
                      Reuse reuse) {
  ArenaPlan arenas;
  arenas.offset.assign(plan.num_tasks(), 0);
  arenas.size.assign(plan.num_devices, 0);
  const Planner planner(plan, reach, reuse);
  std::vector<std::vector<Resident>> residents(plan.num_devices);  // by begin
  const auto place = [&](std::uint32_t task, std::uint64_t bytes) {
    const std::uint64_t size = std::max(kLine, (bytes + kLine - 1) / kLine * kLine);
    const std::uint32_t device = plan.device[task];
    auto& all = residents[device];
    std::uint64_t at = reach == nullptr ? arenas.size[device] : 0;
    if (reach != nullptr) {
      for (const Resident& resident : all) {
        if (resident.begin >= at + size) {
          break;
        }
        if (resident.end > at && !planner.gives_way_to(resident.task, task)) {
          at = resident.end;
        }
      }
      const Resident mine{at, at + size, task};
      all.insert(
          std::upper_bound(all.begin(),
                           all.end(),
                           mine,
                           [](const Resident& a, const Resident& b) { return a.begin < b.begin; }),
          mine);
    }
    arenas.offset[task] = at;
    arenas.size[device] = std::max(arenas.size[device], at + size);
  };
  for (const OpId op : graph.topological_order()) {
    const auto v = static_cast<std::uint32_t>(op);
    place(v, output_bytes[v]);
    for (const std::uint32_t next : plan.successors(v)) {
      if (plan.is_transfer(next)) {
        place(next, output_bytes[v]);
      }
    }
  }
  return arenas;
}

}  // namespace berth::executors

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "deadlock.hpp"

namespace berth::internal {

std::string explain_deadlock(const PackedProblem& packed, const WaitingOps& waiting) {
  constexpr std::size_t kMost = 5;
  const Graph& graph = packed.problem->graph;
  const auto name = [&graph](std::size_t op) { return "'" + graph.op_name(to_id<OpId>(op)) + "'"; };
  std::string text;
  std::size_t listed = 0;
  for (std::uint32_t d = 0; d < packed.num_devices && listed < kMost; ++d) {
    const std::uint32_t head = waiting.next_in_order(d);
    if (head == packed.num_ops) {
      continue;
    }
    text += listed++ == 0 ? "" : "; ";
    text += name(head) + ", next on device '" +
            packed.problem->topology.device(to_id<DeviceId>(d)).name + "', waits for";
    std::size_t inputs = 0;
    for (const OpId producer : graph.predecessors(to_id<OpId>(head))) {
      if (!waiting.is_taken(static_cast<std::uint32_t>(producer)) && inputs < kMost) {
        text += (inputs++ == 0 ? " " : ", ") + name(index(producer));
      }
    }
  }
  return text;
}

}  // namespace berth::internal

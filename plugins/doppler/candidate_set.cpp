// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "candidate_set.hpp"

#include "berth/error.hpp"

namespace berth::doppler {

CandidateSet::CandidateSet(const Graph& graph) : graph_(&graph), missing_(graph.num_ops()) {
  list_.reserve(graph.num_ops());
  reset();
}

void CandidateSet::reset() {
  list_.clear();
  for (std::uint32_t v = 0; v < missing_.size(); ++v) {
    missing_[v] = static_cast<std::uint32_t>(graph_->predecessors(to_id<OpId>(v)).size());
    if (missing_[v] == 0) {
      list_.push_back(v);
    }
  }
}

void CandidateSet::pick(std::size_t position) {
  BERTH_DCHECK(position < list_.size(), "no such candidate");
  const auto op = to_id<OpId>(list_[position]);
  list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(position));
  for (const OpId next : graph_->successors(op)) {
    if (--missing_[index(next)] == 0) {
      list_.push_back(static_cast<std::uint32_t>(index(next)));
    }
  }
}

}  // namespace berth::doppler

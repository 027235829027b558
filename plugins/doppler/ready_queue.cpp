// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "ready_queue.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "berth/error.hpp"

namespace berth::doppler {
namespace {

constexpr double kLeastTotal = 1e-200;  // Below it, weights would soon be lost.
constexpr double kMostExponent = 200.0;
constexpr std::uint32_t kTaken = std::numeric_limits<std::uint32_t>::max();

}  // namespace

ReadyQueue::ReadyQueue(const Graph& graph, std::span<const float> logits, double temperature)
    : graph_(&graph),
      logits_(logits),
      inverse_(temperature > 0.0 ? 1.0 / temperature : 0.0),
      missing_(graph.num_ops()),
      position_(graph.num_ops()),
      tree_(temperature > 0.0 ? graph.num_ops() : 0) {
  op_at_.reserve(graph.num_ops());
  if (!logits.empty()) {
    reference_ = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  }
  for (std::uint32_t v = 0; v < missing_.size(); ++v) {
    missing_[v] = static_cast<std::uint32_t>(graph.predecessors(to_id<OpId>(v)).size());
    if (missing_[v] == 0) {
      insert(v);
    }
  }
}

double ReadyQueue::weight(std::uint32_t op) const {
  return std::exp((static_cast<double>(logits_[op]) - reference_) * inverse_);
}

void ReadyQueue::insert(std::uint32_t op) {
  const auto place = static_cast<std::uint32_t>(op_at_.size());
  position_[op] = place;
  op_at_.push_back(op);
  ++left_;
  if (inverse_ > 0.0) {
    if ((static_cast<double>(logits_[op]) - reference_) * inverse_ > kMostExponent) {
      rescale();  // After an earlier one, to much smaller logits.
    } else {
      tree_.set(place, weight(op));
    }
    return;
  }
  // The greatest pair is the greatest logit, and among equal ones the first place.
  heap_.emplace_back(logits_[op], std::numeric_limits<std::uint32_t>::max() - place);
  std::push_heap(heap_.begin(), heap_.end());
}

std::uint32_t ReadyQueue::greatest() {
  std::pop_heap(heap_.begin(), heap_.end());
  const std::uint32_t place = std::numeric_limits<std::uint32_t>::max() - heap_.back().second;
  heap_.pop_back();
  return op_at_[place];
}

void ReadyQueue::rescale() {
  std::vector<std::uint32_t> ready;
  for (const std::uint32_t op : op_at_) {
    if (missing_[op] == 0) {
      ready.push_back(op);
    }
  }
  reference_ = -std::numeric_limits<double>::infinity();
  for (const std::uint32_t op : ready) {
    reference_ = std::max(reference_, static_cast<double>(logits_[op]));
  }
  for (const std::uint32_t op : ready) {
    tree_.set(position_[op], weight(op));
  }
}

std::uint32_t ReadyQueue::drawn(double uniform) {
  if (tree_.total() < kLeastTotal) {
    rescale();
  }
  return op_at_[tree_.find(uniform)];
}

std::uint32_t ReadyQueue::take(Rng& rng) {
  BERTH_DCHECK(left_ > 0, "no candidate is left");
  std::uint32_t op = 0;
  if (inverse_ == 0.0) {
    op = greatest();
  } else {
    // A single candidate takes no draw; its weight may be too small to be found by one.
    op = drawn(left_ > 1 ? rng.uniform() : 0.0);
    tree_.set(position_[op], 0.0);
  }
  --left_;
  missing_[op] = kTaken;
  for (const OpId next : graph_->successors(to_id<OpId>(op))) {
    if (--missing_[index(next)] == 0) {
      insert(static_cast<std::uint32_t>(index(next)));
    }
  }
  return op;
}

}  // namespace berth::doppler

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "prepared_cache.hpp"

namespace berth::doppler {

PreparedCache::Entry& PreparedCache::entry(const PlacementProblem& problem) {
  const Key key{
      problem.graph.hash(), problem.topology.hash(), static_cast<int>(problem.execution.model)};
  if (entries_.size() >= kMostProblems && entries_.find(key) == entries_.end()) {
    entries_.clear();
  }
  Entry& found = entries_[key];
  if (found.view == nullptr) {
    found.view = std::make_shared<const ProblemView>(make_view(problem, *settings_));
  }
  return found;
}

std::shared_ptr<const HeadWeights> PreparedCache::current_heads(std::span<const float> weights,
                                                                std::uint64_t version) {
  if (heads_ == nullptr || heads_version_ != version) {
    heads_ = std::make_shared<const HeadWeights>(settings_->architecture, *layout_, weights.data());
    heads_version_ = version;
  }
  return heads_;
}

std::shared_ptr<const PreparedProblem> PreparedCache::get(const PlacementProblem& problem,
                                                          std::span<const float> weights,
                                                          std::uint64_t version,
                                                          Purpose purpose) {
  const std::scoped_lock lock(mutex_);
  Entry& found = entry(problem);
  if (found.prepared == nullptr || found.version != version) {
    auto prepared = std::make_shared<PreparedProblem>();
    prepared->view = found.view;
    prepared->heads = current_heads(weights, version);
    found.tape.reset();
    if (purpose == Purpose::kTraining) {
      found.tape = encoder_->record(found.view->input, weights.data());
      prepared->tables = found.tape->tables();
    } else {
      prepared->tables = encoder_->tables(found.view->input, weights.data());
    }
    found.prepared = std::move(prepared);
    found.version = version;
  }
  return found.prepared;
}

PreparedCache::Recorded PreparedCache::take(const PlacementProblem& problem,
                                            std::span<const float> weights,
                                            std::uint64_t version) {
  const std::scoped_lock lock(mutex_);
  Entry& found = entry(problem);
  Recorded recorded;
  recorded.prepared.view = found.view;
  recorded.prepared.heads = current_heads(weights, version);
  if (found.tape.has_value() && found.version == version) {
    recorded.tape = std::move(*found.tape);
    found.tape.reset();
  } else {
    recorded.tape = encoder_->record(found.view->input, weights.data());
  }
  recorded.prepared.tables = recorded.tape.tables();
  return recorded;
}

void PreparedCache::forget() {
  const std::scoped_lock lock(mutex_);
  heads_.reset();
  for (auto& [key, entry] : entries_) {
    entry.prepared.reset();
    entry.tape.reset();
  }
}

}  // namespace berth::doppler

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cut_list.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "berth/error.hpp"

namespace berth::planners {
namespace {

constexpr std::size_t kMostDownsets = 50'000;
constexpr std::size_t kMostCuts = 2'000'000;

// Walks from a downset to every smaller one, one item at a time, and prices what lies between.
class CutWalk {
 public:
  CutWalk(const PartitionProblem& problem, CutList& list)
      : problem_(problem), list_(list), border_(problem), seen_(list.sets.size(), 0) {}

  void run() {
    for (auto outer = static_cast<std::uint32_t>(list_.sets.size() - 1); outer > 0; --outer) {
      outer_ = outer;
      descend(outer);
    }
  }

 private:
  void descend(std::uint32_t set) {
    for (const auto& [item, inner] : list_.sets.smaller[set]) {
      if (seen_[inner] == outer_) {
        continue;
      }
      seen_[inner] = outer_;
      for (const std::uint32_t v : list_.items.nodes[item]) {
        border_.add(v);
      }
      items_.push_back(item);
      price(inner);
      descend(inner);
      items_.pop_back();
      for (const std::uint32_t v : list_.items.nodes[item]) {
        border_.remove(v);
      }
    }
  }

  void price(std::uint32_t inner) {
    std::vector<std::uint32_t> nodes;
    for (const std::uint32_t item : items_) {
      nodes.insert(nodes.end(), list_.items.nodes[item].begin(), list_.items.nodes[item].end());
    }
    std::sort(nodes.begin(), nodes.end());
    Cut cut{outer_, inner, list_.options.size(), 0};
    for (std::uint32_t w = 0; problem_.accelerators > 0 && w < problem_.widths.size(); ++w) {
      std::uint32_t index = 0;
      for (const StageLabel& label : stage_labels(problem_, border_, nodes, w)) {
        list_.options.push_back({label, w, index++, false});
      }
    }
    double host = problem_.hosts > 0 ? 0.0 : INFINITY;
    for (const std::uint32_t v : nodes) {
      host += problem_.nodes[v].host_seconds;
    }
    if (std::isfinite(host)) {
      list_.options.push_back({{host, 0.0, 0.0, 0.0}, 0, 0, true});
    }
    cut.end_option = list_.options.size();
    list_.cuts.push_back(cut);
    if (list_.cuts.size() > kMostCuts) {
      throw InputError(problem_.model + ": more than " + std::to_string(kMostCuts) +
                       " contiguous stages; expected a narrower graph; partition-annealing "
                       "takes any");
    }
  }

  const PartitionProblem& problem_;
  CutList& list_;
  StageBorder border_;
  std::vector<std::uint32_t> seen_;  // [downsets]: the outer set from which it was reached last
  std::vector<std::uint32_t> items_;
  std::uint32_t outer_ = 0;
};

}  // namespace

std::vector<std::uint32_t> CutList::nodes_of(const Cut& cut) const {
  std::vector<std::uint32_t> nodes;
  // Any way down passes through the same items.
  std::vector<bool> seen(sets.size(), false);
  std::vector<std::pair<std::uint32_t, std::size_t>> way = {{cut.outer, 0}};
  std::vector<std::uint32_t> items_on_way;
  while (way.back().first != cut.inner) {
    auto& [set, next] = way.back();
    if (next == sets.smaller[set].size()) {
      way.pop_back();
      items_on_way.pop_back();
      continue;
    }
    const auto [item, smaller] = sets.smaller[set][next++];
    if (!seen[smaller] && smaller >= cut.inner) {
      seen[smaller] = true;
      way.emplace_back(smaller, 0);
      items_on_way.push_back(item);
    }
  }
  for (const std::uint32_t item : items_on_way) {
    nodes.insert(nodes.end(), items.nodes[item].begin(), items.nodes[item].end());
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

CutList list_cuts(const PartitionProblem& problem) {
  CutList list;
  list.items = make_items(problem);
  list.sets = enumerate_downsets(list.items.before, kMostDownsets);
  if (list.sets.size() == 0) {
    throw InputError(problem.model + ": more than " + std::to_string(kMostDownsets) +
                     " ways to cut it once; expected a narrower graph; partition-annealing "
                     "takes any");
  }
  CutWalk(problem, list).run();
  return list;
}

}  // namespace berth::planners

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "item_graph.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace berth::planners {
namespace {

using ItemSet = std::set<std::uint32_t>;

// Transfers by items: what a stage pays when it crosses.
struct ItemTransfer {
  std::uint32_t from = 0;
  ItemSet to;  // without `from`
  double seconds = 0.0;
};

bool memory_cannot_bind(const PartitionProblem& problem) {
  double bytes = 0.0;
  for (const PartitionNode& node : problem.nodes) {
    if (problem.data_parallel || node.variants.size() != 1 || node.variants[0].size() != 1 ||
        node.variants[0][0].stash_bytes > 0.0 || !node.variants[0][0].at_border.empty()) {
      return false;
    }
    bytes += node.variants[0][0].fixed_bytes;
  }
  return bytes <= problem.memory_bytes;
}

class Merger {
 public:
  explicit Merger(const PartitionProblem& problem)
      : problem_(problem), members_(problem.nodes.size()), idle_(problem.nodes.size(), true) {
    for (std::uint32_t v = 0; v < problem.nodes.size(); ++v) {
      const PartitionNode& node = problem.nodes[v];
      members_[node.group].push_back(v);
      const bool idle = !node.variants[0].empty() && node.variants[0][0].seconds == 0.0 &&
                        (problem.hosts == 0 || node.host_seconds == 0.0);
      idle_[node.group] = idle_[node.group] && idle;
      alive_.insert(node.group);
    }
    std::map<std::pair<std::uint32_t, ItemSet>, double> sums;
    for (const PartitionTransfer& transfer : problem.transfers) {
      const std::uint32_t from = problem.nodes[transfer.from].group;
      ItemSet to;
      for (const std::uint32_t v : transfer.to) {
        const PartitionNode& node = problem.nodes[v];
        if (node.group != from) {
          to.insert(node.group);
          if (!problem.nodes[transfer.from].backward && !node.backward) {
            arcs_.insert({from, node.group});
          }
        }
      }
      if (!to.empty()) {
        sums[{from, to}] += transfer.seconds;
      }
    }
    take(sums);
  }

  void simplify() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const std::uint32_t u : alive_) {
        if (idle_[u] && alive_.size() > 1 && (set_aside(u) || join(u))) {
          changed = true;
          break;  // the set has changed
        }
      }
    }
  }

  [[nodiscard]] ItemGraph graph() const {
    ItemGraph graph;
    std::map<std::uint32_t, std::uint32_t> index;
    for (const std::uint32_t item : alive_) {
      index.emplace(item, static_cast<std::uint32_t>(graph.nodes.size()));
      graph.nodes.push_back(members_[item]);
      std::sort(graph.nodes.back().begin(), graph.nodes.back().end());
    }
    graph.before.resize(graph.nodes.size());
    for (const auto& [from, to] : arcs_) {
      graph.before[index.at(to)].push_back(index.at(from));
    }
    for (auto item = free_.rbegin(); item != free_.rend(); ++item) {
      graph.free_nodes.push_back(members_[*item]);
    }
    return graph;
  }

 private:
  void take(const std::map<std::pair<std::uint32_t, ItemSet>, double>& sums) {
    transfers_.clear();
    for (const auto& [ends, seconds] : sums) {
      transfers_.push_back({ends.first, ends.second, seconds});
    }
  }

  [[nodiscard]] ItemSet earlier(std::uint32_t u) const {
    ItemSet items;
    for (const auto& [from, to] : arcs_) {
      if (to == u) {
        items.insert(from);
      }
    }
    return items;
  }

  bool set_aside(std::uint32_t u) {
    for (const ItemTransfer& transfer : transfers_) {
      if ((transfer.from == u || transfer.to.count(u) > 0) && transfer.seconds > 0.0) {
        return false;
      }
    }
    if (!earlier(u).empty()) {
      return false;
    }
    std::erase_if(transfers_, [u](const ItemTransfer& transfer) { return transfer.from == u; });
    for (ItemTransfer& transfer : transfers_) {
      transfer.to.erase(u);
    }
    std::erase_if(transfers_, [](const ItemTransfer& transfer) { return transfer.to.empty(); });
    std::erase_if(arcs_, [u](const auto& arc) { return arc.first == u; });
    alive_.erase(u);
    free_.push_back(u);
    return true;
  }

  bool join(std::uint32_t u) {
    ItemSet others;
    for (const auto& [from, to] : arcs_) {
      if (from == u || to == u) {
        others.insert(from == u ? to : from);
      }
    }
    for (const ItemTransfer& transfer : transfers_) {
      if (transfer.from == u) {
        others.insert(transfer.to.begin(), transfer.to.end());
      } else if (transfer.to.count(u) > 0) {
        others.insert(transfer.from);
      }
    }
    if (others.size() == 1) {
      merge(u, *others.begin());
      return true;
    }
    const ItemSet first = earlier(u);
    if (first.size() == 1 && costs_no_more(u, *first.begin())) {
      merge(u, *first.begin());
      return true;
    }
    return false;
  }

  // Whether cutting behind `u` never costs more than cutting between `p` and `u`.
  [[nodiscard]] bool costs_no_more(std::uint32_t u, std::uint32_t p) const {
    double between = 0.0;
    double behind = 0.0;
    for (const ItemTransfer& transfer : transfers_) {
      if (transfer.from == p && transfer.to.count(u) > 0) {
        if (transfer.to.size() > 1) {
          return false;  // others pay for it anyway
        }
        between += transfer.seconds;
      } else if (transfer.from == u && transfer.to == ItemSet{p}) {
        between += transfer.seconds;
      } else if (transfer.from == u || transfer.to.count(u) > 0) {
        behind += transfer.seconds;
      }
    }
    return behind <= between;
  }

  void merge(std::uint32_t u, std::uint32_t p) {
    alive_.erase(u);
    members_[p].insert(members_[p].end(), members_[u].begin(), members_[u].end());
    std::set<std::pair<std::uint32_t, std::uint32_t>> arcs;
    for (auto [from, to] : arcs_) {
      from = from == u ? p : from;
      to = to == u ? p : to;
      if (from != to) {
        arcs.insert({from, to});
      }
    }
    arcs_ = std::move(arcs);
    std::map<std::pair<std::uint32_t, ItemSet>, double> sums;
    for (ItemTransfer transfer : transfers_) {
      transfer.from = transfer.from == u ? p : transfer.from;
      if (transfer.to.erase(u) > 0) {
        transfer.to.insert(p);
      }
      transfer.to.erase(transfer.from);
      if (!transfer.to.empty()) {
        sums[{transfer.from, transfer.to}] += transfer.seconds;
      }
    }
    take(sums);
  }

  const PartitionProblem& problem_;
  std::vector<std::vector<std::uint32_t>> members_;  // [groups]
  std::vector<bool> idle_;                           // [groups]: costs no time anywhere
  ItemSet alive_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> arcs_;
  std::vector<ItemTransfer> transfers_;
  std::vector<std::uint32_t> free_;  // in the order in which they were set aside
};

}  // namespace

ItemGraph make_items(const PartitionProblem& problem) {
  Merger merger(problem);
  if (memory_cannot_bind(problem)) {
    merger.simplify();
  }
  return merger.graph();
}

}  // namespace berth::planners

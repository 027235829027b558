// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "search_items.hpp"

#include <algorithm>
#include <tuple>

#include "berth/error.hpp"

#include "outer_search.hpp"

namespace berth::nest {

std::vector<std::vector<std::uint32_t>> mixed_groups(const StrategyProblem& problem) {
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
    const StrategyConfiguration& c = problem.configurations[index];
    const auto same = [&](const std::vector<std::uint32_t>& group) {
      const StrategyConfiguration& other = problem.configurations[group.front()];
      return std::tie(c.micro_batch, c.micro_batches, c.context, c.expert) ==
             std::tie(other.micro_batch, other.micro_batches, other.context, other.expert);
    };
    const auto at = std::find_if(groups.begin(), groups.end(), same);
    if (at == groups.end()) {
      groups.push_back({index});
    } else {
      at->push_back(index);
    }
  }
  return groups;
}

void check_chain(const StrategyProblem& problem) {
  for (const StrategyConfiguration& c : problem.configurations) {
    bool plain = c.edges.size() + 1 == problem.layers.size();
    for (std::size_t v = 0; plain && v < c.edges.size(); ++v) {
      plain = c.edges[v].from == v && c.edges[v].to == v + 1;
    }
    if (!plain) {
      throw InputError(problem.model +
                       ": edges that skip layers; mode default plans plain chains, in order; use "
                       "mode=artifact");
    }
  }
}

std::vector<Interleaving> interleavings(const StrategyProblem& problem,
                                        std::uint32_t configuration,
                                        const ChainSums& sums,
                                        const SearchSettings& settings) {
  const StrategyConfiguration& c = problem.configurations[configuration];
  const Pins& pins = settings.pins;
  const std::size_t n = problem.layers.size();
  const std::size_t blocks = problem.network.num_devices() / c.block();
  std::vector<double> slowest(n + 1, -1.0);  // [stages] filled on demand
  std::vector<Interleaving> all;
  for (std::size_t depth = 2; 2 * depth <= n && depth <= blocks; ++depth) {
    if (pins.stages && *pins.stages != depth) {
      continue;
    }
    std::vector<Interleaving> here;
    const std::size_t most = std::min<std::size_t>(c.micro_batches, blocks / depth);
    for (std::size_t data = 1; data <= most; ++data) {
      if ((pins.data && *pins.data != data) || c.micro_batches % (depth * data) != 0) {
        continue;
      }
      for (std::size_t chunks = 2; depth * chunks <= n; ++chunks) {
        if (pins.chunks && *pins.chunks != chunks) {
          continue;
        }
        double& stage = slowest[depth * chunks];
        stage = stage < 0.0 ? sums.slowest_bound(depth * chunks) : stage;
        const std::size_t turns = c.micro_batches / data * chunks + depth - 1;
        here.push_back({static_cast<double>(turns) * stage, depth, chunks, data});
      }
    }
    if (n > kShortChain) {
      std::sort(here.begin(), here.end(), [](const Interleaving& a, const Interleaving& b) {
        return std::tie(a.seconds, a.chunks, a.data) < std::tie(b.seconds, b.chunks, b.data);
      });
      here.resize(std::min(here.size(), kMostPerDepth));
    }
    all.insert(all.end(), here.begin(), here.end());
  }
  std::sort(all.begin(), all.end(), [](const Interleaving& a, const Interleaving& b) {
    return std::tie(a.seconds, a.depth, a.chunks, a.data) <
           std::tie(b.seconds, b.depth, b.chunks, b.data);
  });
  if (n > kShortChain) {
    all.resize(std::min(all.size(), kMostInterleavings));
  }
  return all;
}

std::size_t default_work_items(const StrategyProblem& problem) {
  return problem.configurations.size() + mixed_groups(problem).size();
}

}  // namespace berth::nest

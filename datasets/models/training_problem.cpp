// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "training_problem.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "berth/error.hpp"

namespace berth::datasets {
namespace {

using Ranks = std::vector<std::uint32_t>;

// Devices first, first + stride, ... as one group.
Ranks strided(std::size_t first, std::size_t stride, std::size_t count) {
  Ranks ranks;
  for (std::size_t k = 0; k < count; ++k) {
    ranks.push_back(static_cast<std::uint32_t>(first + k * stride));
  }
  return ranks;
}

// The shape that costs most among the same group of every block.
template <class Cost>
GroupShape worst_shape(const NetworkLevels& network,
                       std::size_t block,
                       std::size_t offset_count,
                       std::size_t offset_step,
                       std::size_t stride,
                       std::size_t count,
                       Cost cost) {
  GroupShape worst;
  double most = -1.0;
  std::vector<GroupShape> seen;
  for (std::size_t base = 0; base + block <= network.num_devices(); base += block) {
    for (std::size_t k = 0; k < offset_count; ++k) {
      GroupShape shape = shape_of(network, strided(base + k * offset_step, stride, count));
      if (std::find(seen.begin(), seen.end(), shape) != seen.end()) {
        continue;
      }
      const double seconds = cost(shape);
      if (seconds > most) {
        most = seconds;
        worst = shape;
      }
      seen.push_back(std::move(shape));
    }
  }
  return worst;
}

InLayerCollectives collectives_of(const NetworkLevels& network,
                                  const Collectives& collectives,
                                  const Degrees& d) {
  constexpr double kTypical = 32e6;  // bytes, to tell which shape is worst
  const std::size_t t = d.tensor;
  const std::size_t c = d.context;
  const std::size_t e = d.expert;
  const std::size_t block = t * c * e;
  InLayerCollectives result;
  if (t > 1) {
    const GroupShape shape = worst_shape(network, block, c * e, t, 1, t, [&](const GroupShape& s) {
      return collectives.all_reduce(s).seconds(kTypical);
    });
    result.tensor_all_reduce = collectives.all_reduce(shape);
    result.tensor_all_gather = collectives.all_gather(shape);
  }
  if (e > 1) {
    const GroupShape shape =
        worst_shape(network, block, t * c, 1, t * c, e, [&](const GroupShape& s) {
          return collectives.all_to_all(s).seconds(kTypical);
        });
    result.expert_all_to_all = collectives.all_to_all(shape);
  }
  if (c > 1) {
    std::size_t level = 0;
    for (std::size_t base = 0; base + block <= network.num_devices(); base += t * c) {
      for (std::size_t k = 0; k + 1 < c; ++k) {
        level = std::max(level, network.level_between(base + k * t, base + (k + 1) * t));
      }
      level = std::max(level, network.level_between(base, base + (c - 1) * t));
    }
    result.context_step = collectives.point_to_point(level, network.num_devices());
  }
  return result;
}

std::vector<std::uint32_t> divisors(std::uint32_t number, std::uint32_t most) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t d = 1; d <= std::min(number, most); ++d) {
    if (number % d == 0) {
      list.push_back(d);
    }
  }
  return list;
}

std::vector<std::uint32_t> powers(std::uint32_t most) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t p = 1; p <= most; p *= 2) {
    list.push_back(p);
  }
  return list;
}

std::vector<Degrees> transformer_degrees(const Transformer& m,
                                         const TrainingSetup& setup,
                                         std::uint32_t devices) {
  std::vector<Degrees> all;
  const std::uint32_t shared = std::gcd(m.heads, m.feed_forward);
  const std::uint32_t experts = m.experts.experts > 0 ? m.experts.experts : 1;
  for (const std::uint32_t t : divisors(shared, std::min(setup.most_tensor, devices))) {
    for (const bool sp : {false, true}) {
      for (const std::uint32_t c : powers(setup.most_context)) {
        for (const std::uint32_t e : divisors(experts, devices)) {
          for (const std::uint32_t b : powers(setup.most_micro_batch)) {
            const bool splits = c == 1 || m.sequence % (2 * c) == 0;
            const bool fits = std::uint64_t{t} * c * e <= devices && b * e <= setup.global_batch;
            if (splits && fits && (!sp || (t > 1 && m.sequence / c % t == 0))) {
              all.push_back({t, c, e, sp, b});
            }
          }
        }
      }
    }
  }
  return all;
}

void add_chain(StrategyConfiguration& configuration, double size_bytes, std::size_t layers) {
  for (std::uint32_t v = 1; v < layers; ++v) {
    configuration.edges.push_back({v - 1, v, size_bytes});
  }
}

StrategyConfiguration blank(const Degrees& d, const TrainingSetup& setup) {
  StrategyConfiguration configuration;
  configuration.tensor = d.tensor;
  configuration.context = d.context;
  configuration.expert = d.expert;
  configuration.sequence_parallel = d.sequence_parallel;
  configuration.micro_batch = d.micro_batch;
  const std::uint32_t at_once = d.micro_batch * d.expert;
  configuration.micro_batches = (setup.global_batch + at_once - 1) / at_once;
  return configuration;
}

StrategyConfiguration price_transformer(const Transformer& m,
                                        const Cluster& cluster,
                                        const TrainingSetup& setup,
                                        const Collectives& collectives,
                                        const Degrees& d) {
  StrategyConfiguration configuration = blank(d, setup);
  const InLayerCollectives traffic = collectives_of(cluster.network, collectives, d);
  const bool two_kinds = m.experts.experts > 0 && m.experts.dense_layers > 0;
  for (std::size_t c = 0; c < cluster.rooflines.size(); ++c) {
    const KernelTimes times(cluster.rooflines[c], setup.profile, cluster.classes[c].name);
    configuration.costs.push_back(price_embedding(m, d, times, traffic));
    configuration.costs.push_back(price_layer(m, m.layers - 1, d, times, traffic, setup.kernels));
    configuration.costs.push_back(price_head(m, d, times, traffic));
    if (two_kinds) {
      configuration.costs.push_back(price_layer(m, 0, d, times, traffic, setup.kernels));
    }
  }
  configuration.kinds.push_back(0);
  for (std::uint32_t index = 0; index < m.layers; ++index) {
    configuration.kinds.push_back(two_kinds && index < m.experts.dense_layers ? 3 : 1);
  }
  configuration.kinds.push_back(2);
  const double tokens = double{1} * d.micro_batch * m.sequence / d.context;
  const double split = d.sequence_parallel ? d.tensor : 1.0;
  add_chain(configuration, 2.0 * tokens * m.hidden / split, configuration.kinds.size());
  configuration.tied_parameters = m.tied ? double{1} * m.vocabulary * m.hidden / d.tensor : 0.0;
  return configuration;
}

StrategyConfiguration price_chain(const Model& model,
                                  const Cluster& cluster,
                                  const TrainingSetup& setup,
                                  std::uint32_t micro_batch) {
  Degrees d;
  d.micro_batch = micro_batch;
  StrategyConfiguration configuration = blank(d, setup);
  for (std::size_t c = 0; c < cluster.rooflines.size(); ++c) {
    const KernelTimes times(cluster.rooflines[c], setup.profile, cluster.classes[c].name);
    for (const ConvolutionBlock& block : model.blocks) {
      configuration.costs.push_back(price_block(block, micro_batch, times));
    }
  }
  for (std::uint32_t v = 0; v < model.blocks.size(); ++v) {
    configuration.kinds.push_back(v);
    if (v > 0) {
      configuration.edges.push_back(
          {v - 1, v, 2.0 * micro_batch * model.blocks[v - 1].output_elements});
    }
  }
  return configuration;
}

}  // namespace

StrategyProblem make_training_problem(const Model& model,
                                      const Cluster& cluster,
                                      const TrainingSetup& setup) {
  StrategyProblem problem;
  problem.model = model.name;
  problem.cluster = cluster.name;
  problem.network = cluster.network;
  problem.classes = cluster.classes;
  problem.class_of_device = cluster.class_of_device;
  problem.memory = setup.memory;
  problem.global_batch = setup.global_batch;
  if (setup.global_batch == 0) {
    throw InputError("global batch: 0; expected 1 or more sequences");
  }
  if (!model.is_transformer()) {
    for (const ConvolutionBlock& block : model.blocks) {
      problem.layers.push_back(block.name);
    }
    for (const std::uint32_t b : powers(std::min(setup.most_micro_batch, setup.global_batch))) {
      problem.configurations.push_back(price_chain(model, cluster, setup, b));
    }
    check_problem(problem);
    return problem;
  }
  Transformer m = model.transformer;
  if (setup.sequence > 0) {
    if (m.positions > 0 && setup.sequence > m.positions) {
      throw InputError(model.name + ": sequence of " + std::to_string(setup.sequence) +
                       "; expected at most its " + std::to_string(m.positions) +
                       " learned positions");
    }
    m.sequence = setup.sequence;
  }
  problem.layers.emplace_back("embedding");
  for (std::uint32_t index = 0; index < m.layers; ++index) {
    problem.layers.push_back(std::to_string(index));
  }
  problem.layers.emplace_back("head");
  const Collectives collectives(problem.network);
  const auto devices = static_cast<std::uint32_t>(problem.network.num_devices());
  for (const Degrees& d : transformer_degrees(m, setup, devices)) {
    problem.configurations.push_back(price_transformer(m, cluster, setup, collectives, d));
  }
  check_problem(problem);
  return problem;
}

}  // namespace berth::datasets

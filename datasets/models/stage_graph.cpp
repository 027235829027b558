// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stage_graph.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "berth/error.hpp"

#include "kernel_list.hpp"

namespace berth::datasets {
namespace {

using Ops = std::vector<OpId>;  // one for every device of the block

std::string shape_text(const Kernel& kernel) {
  char text[96];
  if (kernel.m > 0.0) {
    std::snprintf(text, sizeof text, " %gx%gx%g", kernel.m, kernel.n, kernel.k);
    return std::string(text) +
           (kernel.count > 1.0 ? " x" + std::to_string(static_cast<long>(kernel.count)) : "");
  }
  std::snprintf(text, sizeof text, " %.0fB", kernel.moved_bytes);
  return text;
}

// Builds a stage device by device. Device numbers within a block: tensor ranks innermost, then
// context, then expert ranks.
class StageBuilder {
 public:
  StageBuilder(const Degrees& degrees, double bytes_per_second, bool mixed, std::string name)
      : t_(degrees.tensor),
        c_(degrees.context),
        e_(degrees.expert),
        bytes_per_second_(bytes_per_second),
        mixed_(mixed),
        builder_(std::move(name)) {
    builder_.cost_basis(CostBasis::kTime, 1.0);
  }

  [[nodiscard]] auto same_tensor() const {
    return [this](std::size_t x, std::size_t y) { return x / t_ == y / t_; };
  }
  [[nodiscard]] auto same_context() const {
    return [this](std::size_t x, std::size_t y) {
      return x % t_ == y % t_ && x / (t_ * c_) == y / (t_ * c_);
    };
  }
  [[nodiscard]] auto same_expert() const {
    return [this](std::size_t x, std::size_t y) { return x % (t_ * c_) == y % (t_ * c_); };
  }

  // `seconds[d]` on device d. A table tells the devices apart where their classes differ.
  Ops add(const std::string& label, const char* kind, const std::vector<double>& seconds) {
    Ops ops;
    for (std::size_t d = 0; d < size(); ++d) {
      OpSpec op;
      op.name = label + (size() > 1 ? " #" + std::to_string(d) : "");
      op.kind = kind;
      op.work = seconds[d];
      if (mixed_) {
        op.device_time = seconds;
      }
      ops.push_back(builder_.add_op(std::move(op)));
    }
    return ops;
  }

  void connect(const Ops& from, const Ops& to, double size_bytes) {
    for (std::size_t d = 0; d < size(); ++d) {
      edge(from[d], to[d], size_bytes);
    }
  }

  // Every device of a group sends each other member a slice of what it made.
  template <class SameGroup>
  void exchange(const Ops& from, const Ops& to, double slice_bytes, SameGroup same_group) {
    for (std::size_t x = 0; x < size(); ++x) {
      for (std::size_t y = 0; y < size(); ++y) {
        if (x != y && same_group(x, y)) {
          edge(from[x], to[y], slice_bytes);
        }
      }
    }
  }

  // Partial sums over the tensor ranks: each adds up a slice; `gathered`: and hands it to all.
  Ops reduce(const std::string& label, const Ops& partial, double row_bytes) {
    if (t_ == 1) {
      return partial;
    }
    const Ops slices = add(label, "sum", std::vector<double>(size(), 0.0));
    connect(partial, slices, slice_of(row_bytes));
    exchange(partial, slices, slice_of(row_bytes), same_tensor());
    return slices;
  }
  void gather(const Ops& slices, const Ops& to, double row_bytes) {
    connect(slices, to, slice_of(row_bytes));
    if (t_ > 1) {
      exchange(slices, to, slice_of(row_bytes), same_tensor());
    }
  }

  [[nodiscard]] std::size_t size() const { return t_ * c_ * e_; }
  [[nodiscard]] Graph freeze() { return builder_.freeze(); }

 private:
  [[nodiscard]] double slice_of(double bytes) const { return bytes / static_cast<double>(t_); }
  void edge(OpId from, OpId to, double size_bytes) {
    builder_.add_edge(from, to, size_bytes / bytes_per_second_);
  }

  std::size_t t_;
  std::size_t c_;
  std::size_t e_;
  double bytes_per_second_;
  bool mixed_;
  GraphBuilder builder_;
};

// A layer's kernels of one pass; `reversed` for backward.
struct LayerPass {
  std::string label;
  std::vector<Kernel> kernels;
  double scale = 1.0;  // of the kernels' times
};

// What a stage's passes have in common.
struct StageSizes {
  Degrees degrees;
  KernelSizes kernels;
  double active_experts = 1.0;  // of a token
};

std::vector<double> seconds_on(const Kernel& kernel,
                               double scale,
                               const std::vector<KernelTimes>& devices) {
  std::vector<double> seconds;
  for (const KernelTimes& times : devices) {
    seconds.push_back(scale * kernel.seconds(times));
  }
  return seconds;
}

// Appends a pass behind `before` (empty at the start); returns what it ends with.
Ops append(StageBuilder& builder,
           const LayerPass& pass,
           const StageSizes& sizes,
           const std::vector<KernelTimes>& devices,
           Ops before,
           double& before_bytes) {
  const Degrees& degrees = sizes.degrees;
  const double row = 2.0 * sizes.kernels.tokens * sizes.kernels.hidden;
  const double keys = 2.0 * 2.0 * sizes.kernels.tokens * sizes.kernels.kv_width / sizes.kernels.t;
  const double tokens = row * sizes.active_experts / sizes.kernels.t / degrees.expert;
  bool sliced = false;     // `before` holds one slice of a sum on each tensor rank
  bool scattered = false;  // `before` holds tokens of other expert ranks
  for (const Kernel& kernel : pass.kernels) {
    const Ops ops = builder.add(pass.label + kernel.name + shape_text(kernel),
                                kernel.name,
                                seconds_on(kernel, pass.scale, devices));
    if (!before.empty()) {
      const bool gathers = kernel.site == KernelSite::kGathersSequence;
      if (degrees.sequence_parallel ? gathers : sliced) {
        builder.gather(before, ops, row);
      } else {
        builder.connect(before, ops, before_bytes);
      }
      if (kernel.site == KernelSite::kSeesContext && degrees.context > 1) {
        builder.exchange(before, ops, keys, builder.same_context());
      }
      if ((kernel.site == KernelSite::kDispatches || scattered) && degrees.expert > 1) {
        builder.exchange(before, ops, tokens, builder.same_expert());
      }
    }
    sliced = false;
    scattered = kernel.site == KernelSite::kCombines;
    before = ops;
    before_bytes = kernel.output_bytes;
    if (kernel.site == KernelSite::kReduces || scattered) {
      before = builder.reduce(pass.label + kernel.name + std::string(" sum"), ops, row);
      sliced = degrees.tensor > 1;
      before_bytes = row / (sliced ? sizes.kernels.t : 1.0);
    }
  }
  return before;
}

// Bytes per second between two devices of the cluster, nothing else on the way.
double pair_bandwidth(const NetworkLevels& network, std::uint32_t x, std::uint32_t y) {
  const NetworkLevel& level = network.level(network.level_between(x, y));
  return level.uplink_bytes_per_second > 0.0
             ? std::min(level.bandwidth_bytes_per_second, level.uplink_bytes_per_second)
             : level.bandwidth_bytes_per_second;
}

double fastest_pair(const NetworkLevels& network, const std::vector<std::uint32_t>& block) {
  double fastest = 0.0;
  for (const std::uint32_t x : block) {
    for (const std::uint32_t y : block) {
      fastest = x == y ? fastest : std::max(fastest, pair_bandwidth(network, x, y));
    }
  }
  return fastest > 0.0 ? fastest : network.level(0).bandwidth_bytes_per_second;
}

}  // namespace

Graph stage_graph(const Model& model,
                  const Cluster& cluster,
                  const TrainingSetup& setup,
                  const StrategyProblem& problem,
                  const ParallelPlan& plan,
                  std::size_t stage) {
  if (!model.is_transformer()) {
    throw InputError(model.name + ": no transformer; stage graphs need one");
  }
  const PlanStage& cut = plan.stages[stage];
  const StrategyConfiguration& c = problem.configurations[cut.configuration];
  const Degrees degrees{c.tensor, c.context, c.expert, c.sequence_parallel, c.micro_batch};
  Transformer m = model.transformer;
  if (setup.sequence > 0) {
    m.sequence = setup.sequence;
  }
  const StageSizes sizes{
      degrees, KernelSizes(m, degrees), std::max(1.0, double{1} * m.experts.active)};
  std::vector<KernelTimes> devices;
  bool mixed = false;
  for (const std::uint32_t device : cut.blocks.front()) {
    const std::size_t k = problem.class_of(device);
    mixed = mixed || k != problem.class_of(cut.blocks.front().front());
    devices.emplace_back(cluster.rooflines[k], setup.profile, cluster.classes[k].name);
  }

  std::vector<LayerPass> forward;
  for (std::uint32_t v = cut.first_layer; v < cut.first_layer + cut.num_layers; ++v) {
    const bool first = v == 0;
    const bool last = v + 1 == problem.layers.size();
    forward.push_back({problem.layers[v] + " ",
                       first  ? embedding_kernels(m, degrees)
                       : last ? head_kernels(m, degrees)
                              : layer_kernels(m, v - 1, degrees, setup.kernels),
                       1.0});
  }
  StageBuilder builder(degrees,
                       fastest_pair(cluster.network, cut.blocks.front()),
                       mixed,
                       problem.model + " stage " + std::to_string(stage + 1));
  Ops before;
  double bytes = 0.0;
  for (const LayerPass& pass : forward) {
    before = append(builder, pass, sizes, devices, std::move(before), bytes);
  }
  for (std::size_t i = forward.size(); i-- > 0;) {
    LayerPass again = forward[i];
    if (cut.recompute == Recompute::kSelective) {
      std::erase_if(again.kernels, [](const Kernel& kernel) { return !kernel.attention_core; });
    }
    if (cut.recompute != Recompute::kNone && !again.kernels.empty()) {
      again.label += "again ";
      before = append(builder, again, sizes, devices, std::move(before), bytes);
    }
    LayerPass backward = forward[i];
    backward.label += "backward ";
    backward.scale = 2.0;
    std::reverse(backward.kernels.begin(), backward.kernels.end());
    // What gathers on the way forward sums on the way back, and the other way round.
    for (Kernel& kernel : backward.kernels) {
      if (kernel.site == KernelSite::kGathersSequence) {
        kernel.site = KernelSite::kReduces;
      } else if (kernel.site == KernelSite::kReduces) {
        kernel.site = KernelSite::kGathersSequence;
      }
    }
    before = append(builder, backward, sizes, devices, std::move(before), bytes);
  }
  return builder.freeze();
}

Topology group_topology(const Cluster& cluster, const ParallelPlan& plan, std::size_t stage) {
  const std::vector<std::uint32_t>& block = plan.stages[stage].blocks.front();
  const NetworkLevels& network = cluster.network;
  TopologyBuilder builder(cluster.name + " stage " + std::to_string(stage + 1));
  for (const std::uint32_t device : block) {
    const std::size_t k = cluster.class_of_device.empty() ? 0 : cluster.class_of_device[device];
    DeviceSpec spec;
    spec.name = "device" + std::to_string(device);
    spec.type = cluster.classes[k].name;
    spec.peak = FlopsPerSecond{cluster.rooflines[k].peak_flops_per_second};
    spec.memory_bandwidth = BytesPerSecond{cluster.rooflines[k].memory_bytes_per_second};
    spec.memory = Bytes{cluster.classes[k].memory_bytes};
    builder.add_device(std::move(spec));
  }
  std::map<std::pair<std::size_t, std::uint32_t>, LinkId> uplinks;  // by level and unit below it
  for (std::uint32_t x = 0; x < block.size(); ++x) {
    for (std::size_t l = 0; l < network.num_levels(); ++l) {
      const NetworkLevel& level = network.level(l);
      LinkId own{};
      bool used = false;
      for (std::uint32_t y = 0; y < block.size(); ++y) {
        if (x == y || network.level_between(block[x], block[y]) != l) {
          continue;
        }
        if (!used) {
          own = builder.add_link({"device" + std::to_string(block[x]) + " " + level.name,
                                  BytesPerSecond{level.bandwidth_bytes_per_second},
                                  Seconds{level.latency_seconds}});
          used = true;
        }
        std::vector<LinkId> route = {own};
        if (l > 0 && level.uplink_bytes_per_second > 0.0) {
          const std::uint32_t unit = network.unit_of(l - 1, block[x]);
          auto at = uplinks.find({l, unit});
          if (at == uplinks.end()) {
            const LinkId shared = builder.add_link({level.name + " uplink " + std::to_string(unit),
                                                    BytesPerSecond{level.uplink_bytes_per_second},
                                                    Seconds{0.0}});
            at = uplinks.emplace(std::pair(l, unit), shared).first;
          }
          route.push_back(at->second);
        }
        builder.route(to_id<DeviceId>(x), to_id<DeviceId>(y), std::move(route));
      }
    }
  }
  return builder.freeze();
}

}  // namespace berth::datasets

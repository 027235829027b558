// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "placeto_net.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <string>
#include <utility>

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "device_logits_net.hpp"
#include "graph_ops_net.hpp"
#include "named_weights_net.hpp"
#include "placeto_actor.hpp"

namespace berth::learned {
namespace {

using doppler::NamedWeights;
using torch::Tensor;

constexpr std::int64_t kMostFloats = 4'000'000;  ///< Of one embedding of all ops at some steps.

Tensor two_layers(const Tensor& x, const NamedWeights& weights, const std::string& name) {
  return doppler::linear(
      torch::relu(doppler::linear(x, weights, name + "/0")), weights, name + "/1");
}

class PlacetoPass final : public PlacementNet::Pass {
 public:
  PlacetoPass(const PlacetoSizes& sizes,
              const doppler::ParameterLayout& layout,
              const NetGraph& graph,
              const float* flat)
      : sizes_(&sizes),
        layout_(&layout),
        graph_(&graph),
        weights_(doppler::named_weights(layout, flat, /*with_gradient=*/true)) {
    if (!sizes.every_step) {
      once_ = embed(node_rows({}, 0, 1));
    }
  }

  std::vector<float> logits(const std::vector<std::uint32_t>& device,
                            std::size_t first,
                            std::size_t count) override {
    const auto n = static_cast<std::int64_t>(graph_->num_ops);
    const auto steps = static_cast<std::int64_t>(count);
    Tensor rows;  // [ops, steps, width]
    if (sizes_->every_step) {
      rows = embed(node_rows(device, first, count));
    } else {
      rows = torch::cat({once_.expand({n, steps, -1}), placed_rows(device, first, count)}, 2);
    }
    std::vector<std::int64_t> current(
        graph_->order.begin() + static_cast<std::ptrdiff_t>(first),
        graph_->order.begin() + static_cast<std::ptrdiff_t>(first + count));
    const Tensor own = rows.index({torch::tensor(current), torch::arange(steps)});
    const Tensor state = torch::cat({aggregate(rows, own, "parents", first, count),
                                     aggregate(rows, own, "children", first, count),
                                     aggregate(rows, own, "parallel", first, count),
                                     own},
                                    1);
    last_ = device_logits(two_layers(state, weights_, "head"), *graph_, first);
    const Tensor flat = last_.detach().contiguous();
    const auto* data = flat.data_ptr<float>();
    return {data, data + flat.numel()};
  }

  void backward(const std::vector<float>& dlogits) override {
    auto* data = const_cast<float*>(dlogits.data());
    torch::autograd::backward({last_},
                              {torch::from_blob(data, last_.sizes(), torch::kFloat32)},
                              /*retain_graph=*/!sizes_->every_step);
    last_ = Tensor();
  }

  void add_gradient(float* out) const override { doppler::add_gradients(*layout_, weights_, out); }

 private:
  /// [ops, steps, f] The ops as they stand at each step; without state where messages pass once.
  Tensor node_rows(const std::vector<std::uint32_t>& device,
                   std::size_t first,
                   std::size_t count) const {
    const std::size_t n = graph_->num_ops;
    const std::size_t fixed = graph_->columns;
    const std::size_t width = sizes_->every_step ? fixed + kDeviceCode + 2 : fixed;
    Tensor rows = torch::zeros({static_cast<std::int64_t>(n),
                                static_cast<std::int64_t>(count),
                                static_cast<std::int64_t>(width)});
    auto* row = rows.data_ptr<float>();
    for (std::size_t u = 0; u < n; ++u) {
      const auto placed_at = static_cast<std::size_t>(graph_->step[u]);
      for (std::size_t j = 0; j < count; ++j, row += width) {
        std::copy_n(graph_->features.data() + u * fixed, fixed, row);
        if (!sizes_->every_step) {
          continue;
        }
        if (placed_at < first + j) {
          copy_code(device[placed_at], row + fixed);
          row[width - 1] = 1.0F;
        }
        row[width - 2] = placed_at == first + j ? 1.0F : 0.0F;
      }
    }
    return rows;
  }

  /// [ops, steps, kDeviceCode] Where each op stands at each step; zeros for those not yet placed.
  Tensor placed_rows(const std::vector<std::uint32_t>& device,
                     std::size_t first,
                     std::size_t count) const {
    const std::size_t width = kDeviceCode;
    Tensor rows = torch::zeros({static_cast<std::int64_t>(graph_->num_ops),
                                static_cast<std::int64_t>(count),
                                static_cast<std::int64_t>(width)});
    auto* row = rows.data_ptr<float>();
    for (std::size_t u = 0; u < graph_->num_ops; ++u) {
      const auto placed_at = static_cast<std::size_t>(graph_->step[u]);
      for (std::size_t j = 0; j < count; ++j, row += width) {
        if (placed_at < first + j) {
          copy_code(device[placed_at], row);
        }
      }
    }
    return rows;
  }

  void copy_code(std::uint32_t device, float* to) const {
    std::copy_n(graph_->device_codes.data() + device * kDeviceCode, kDeviceCode, to);
  }

  Tensor embed(const Tensor& rows) const {
    const Tensor t = two_layers(rows, weights_, "node");
    return torch::cat({pass(t, graph_->from_predecessors, "forward"),
                       pass(t, graph_->from_successors, "backward")},
                      2);
  }

  Tensor pass(const Tensor& t, const doppler::RowSums& sources, const std::string& name) const {
    Tensor y = t;
    for (std::size_t round = 0; round < sizes_->rounds; ++round) {
      const Tensor sent = torch::relu(two_layers(y, weights_, name + "/message"));
      const Tensor sums = doppler::sum_rows(sent.reshape({t.size(0), -1}), sources);
      y = t + torch::relu(two_layers(sums.view(t.sizes()), weights_, name + "/update"));
    }
    return y;
  }

  /// [steps, width] of the current op's `set`.
  Tensor aggregate(const Tensor& rows,
                   const Tensor& own,
                   const std::string& set,
                   std::size_t first,
                   std::size_t count) const {
    const std::string name = "gather/" + set;
    Tensor sum = torch::zeros_like(own);
    if (set != "parallel" || sizes_->sees_parallel) {
      const Tensor sent = torch::relu(two_layers(rows, weights_, name + "/message"));
      sum = (sent * members(set, first, count)).sum(0);
    }
    return two_layers(own, weights_, name + "/own") +
           torch::relu(two_layers(sum, weights_, name + "/update"));
  }

  /// [ops, steps, 1] 1 for the ops of a set of each step's op.
  Tensor members(const std::string& set, std::size_t first, std::size_t count) const {
    const auto steps = static_cast<std::int64_t>(count);
    Tensor mask = torch::zeros({static_cast<std::int64_t>(graph_->num_ops), steps, 1});
    auto* data = mask.data_ptr<float>();
    for (std::size_t j = 0; j < count; ++j) {
      const auto v = static_cast<std::size_t>(graph_->order[first + j]);
      if (set == "parallel") {
        for (std::size_t u = 0; u < graph_->num_ops; ++u) {
          data[u * count + j] = graph_->is_related(v, u) ? 0.0F : 1.0F;
        }
        continue;
      }
      const doppler::RowSums& near =
          set == "parents" ? graph_->from_predecessors : graph_->from_successors;
      for (std::int64_t k = near.offsets[v]; k < near.offsets[v + 1]; ++k) {
        data[static_cast<std::size_t>(near.columns[static_cast<std::size_t>(k)]) * count + j] =
            1.0F;
      }
    }
    return mask;
  }

  const PlacetoSizes* sizes_;
  const doppler::ParameterLayout* layout_;
  const NetGraph* graph_;
  NamedWeights weights_;
  Tensor once_;  ///< [ops, 1, 2f]
  Tensor last_;
};

class PlacetoNet final : public PlacementNet {
 public:
  explicit PlacetoNet(const PlacetoSizes& sizes) : sizes_(sizes) {
    at::set_num_threads(1);
    const std::size_t f = sizes.columns + (sizes.every_step ? kDeviceCode + 2 : 0);
    const std::size_t wide = 2 * f + (sizes.every_step ? 0 : kDeviceCode);
    add_two("node", f, f, f);
    for (const char* part :
         {"forward/message", "forward/update", "backward/message", "backward/update"}) {
      add_two(part, f, f, f);
    }
    for (const char* set : {"parents", "children", "parallel"}) {
      for (const char* part : {"/own", "/message", "/update"}) {
        add_two(std::string("gather/") + set + part, wide, wide, wide);
      }
    }
    add_two("head", 4 * wide, sizes.head, kDeviceScore);
    width_ = wide;
  }

  const doppler::ParameterLayout& layout() const override { return layout_; }
  bool sees_placement() const override { return true; }
  std::size_t steps_at_once(std::size_t ops) const override {
    const auto row = static_cast<std::int64_t>(std::max<std::size_t>(1, ops * width_));
    return static_cast<std::size_t>(std::max<std::int64_t>(1, kMostFloats / row));
  }
  std::unique_ptr<Pass> start(const NetGraph& graph,
                              const float* weights,
                              bool with_gradient) const override {
    if (!with_gradient) {
      return make_placeto_actor(sizes_, layout_, graph, weights);
    }
    return std::make_unique<PlacetoPass>(sizes_, layout_, graph, weights);
  }

 private:
  void add_two(const std::string& name, std::size_t in, std::size_t hidden, std::size_t out) {
    layout_.add_linear(name + "/0", hidden, in, doppler::Initialiser::kUniform);
    layout_.add_linear(name + "/1", out, hidden, doppler::Initialiser::kUniform);
  }

  PlacetoSizes sizes_;
  doppler::ParameterLayout layout_;
  std::size_t width_ = 0;
};

}  // namespace

std::unique_ptr<PlacementNet> make_placeto_net(const PlacetoSizes& sizes) {
  return std::make_unique<PlacetoNet>(sizes);
}

}  // namespace berth::learned

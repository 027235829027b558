// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "gdp_net.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "device_logits_net.hpp"
#include "named_weights_net.hpp"

namespace berth::learned {
namespace {

using doppler::linear;
using doppler::NamedWeights;
using torch::Tensor;

class GdpPass final : public PlacementNet::Pass {
 public:
  GdpPass(const GdpSizes& sizes,
          const doppler::ParameterLayout& layout,
          const NetGraph& graph,
          const float* flat,
          bool with_gradient)
      : sizes_(&sizes),
        layout_(&layout),
        graph_(&graph),
        weights_(doppler::named_weights(layout, flat, with_gradient)) {
    const at::AutoGradMode mode(with_gradient);
    const Tensor h = gather(linear(features(), weights_, "input"));
    logits_ = device_logits(linear(attend(h), weights_, "output"), graph, 0);
  }

  std::vector<float> logits(const std::vector<std::uint32_t>& /*device*/,
                            std::size_t first,
                            std::size_t count) override {
    const Tensor flat = logits_.detach().contiguous();
    const auto* data = flat.data_ptr<float>();
    return {data + first * graph_->num_devices, data + (first + count) * graph_->num_devices};
  }

  void backward(const std::vector<float>& dlogits) override {
    auto* data = const_cast<float*>(dlogits.data());
    torch::autograd::backward({logits_},
                              {torch::from_blob(data, logits_.sizes(), torch::kFloat32)});
  }

  void add_gradient(float* out) const override { doppler::add_gradients(*layout_, weights_, out); }

 private:
  Tensor features() const {
    auto* data = const_cast<float*>(graph_->features.data());
    return torch::from_blob(
        data,
        {static_cast<std::int64_t>(graph_->num_ops), static_cast<std::int64_t>(graph_->columns)},
        torch::kFloat32);
  }

  /// GraphSAGE with an element-wise maximum.
  Tensor gather(const Tensor& h) const {
    const std::size_t n = graph_->num_ops;
    std::vector<std::vector<std::int64_t>> near(n);
    std::size_t most = 1;
    for (std::size_t v = 0; v < n; ++v) {
      for (const doppler::RowSums* side : {&graph_->from_predecessors, &graph_->from_successors}) {
        near[v].insert(near[v].end(),
                       side->columns.begin() + side->offsets[v],
                       side->columns.begin() + side->offsets[v + 1]);
      }
      if (near[v].size() == 1 && sizes_->drops_single_neighbour) {
        near[v].clear();
      }
      most = std::max(most, near[v].size());
    }
    // Row n is zero: what an op without neighbours gathers. Repeating a neighbour changes nothing.
    std::vector<std::int64_t> index(n * most, static_cast<std::int64_t>(n));
    for (std::size_t v = 0; v < n; ++v) {
      for (std::size_t k = 0; k < most && !near[v].empty(); ++k) {
        index[v * most + k] = near[v][std::min(k, near[v].size() - 1)];
      }
    }
    const Tensor sent = torch::cat(
        {torch::sigmoid(linear(h, weights_, "gather")), torch::zeros({1, h.size(1)})}, 0);
    const Tensor rows = sent.index_select(0, torch::tensor(index))
                            .view({static_cast<std::int64_t>(n), -1, h.size(1)});
    const Tensor gathered = std::get<0>(rows.max(1));
    return linear(torch::cat({h, gathered}, 1), weights_, "join");
  }

  /// The ops in the order of placement, segment by segment.
  Tensor attend(const Tensor& by_op) const {
    const auto n = static_cast<std::int64_t>(graph_->num_ops);
    const auto segment = static_cast<std::int64_t>(sizes_->segment);
    const Tensor rows = by_op.index_select(0, torch::tensor(graph_->order));
    std::vector<Tensor> outputs;
    for (std::int64_t begin = 0; begin < n; begin += segment) {
      const Tensor own = rows.slice(0, begin, std::min(n, begin + segment));
      const Tensor seen = outputs.empty() ? own : torch::cat({outputs.back().detach(), own}, 0);
      const Tensor mixed = normalised(own + attention(own, seen), "attention/norm");
      const Tensor widened = torch::relu(linear(mixed, weights_, "widen/0"));
      outputs.push_back(normalised(mixed + linear(widened, weights_, "widen/1"), "widen/norm"));
    }
    return outputs.empty() ? rows : torch::cat(outputs, 0);
  }

  Tensor attention(const Tensor& own, const Tensor& seen) const {
    const auto heads = static_cast<std::int64_t>(sizes_->heads);
    const auto split = [&](const Tensor& x, const char* name) {
      return linear(x, weights_, name).view({x.size(0), heads, -1}).transpose(0, 1);
    };
    const Tensor query = split(own, "attention/query");  // [heads, rows, hidden / heads]
    const Tensor key = split(seen, "attention/key");
    const Tensor value = split(seen, "attention/value");
    const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(2)));
    const Tensor share = torch::softmax(torch::bmm(query, key.transpose(1, 2)) * scale, 2);
    const Tensor mixed = torch::bmm(share, value).transpose(0, 1).reshape({own.size(0), -1});
    return linear(mixed, weights_, "attention/output");
  }

  Tensor normalised(const Tensor& x, const std::string& name) const {
    const Tensor centred = x - x.mean(1, true);
    const Tensor spread = (centred * centred).mean(1, true);
    // The gain starts at one: the parameter is what it is above that.
    return centred * torch::rsqrt(spread + 1e-5) * (weights_.at(name + "/gain") + 1.0) +
           weights_.at(name + "/bias");
  }

  const GdpSizes* sizes_;
  const doppler::ParameterLayout* layout_;
  const NetGraph* graph_;
  NamedWeights weights_;
  Tensor logits_;  ///< [steps, devices]
};

class GdpNet final : public PlacementNet {
 public:
  explicit GdpNet(const GdpSizes& sizes) : sizes_(sizes) {
    using doppler::Initialiser;
    at::set_num_threads(1);
    const std::size_t hidden = sizes.hidden;
    layout_.add_linear("input", hidden, sizes.columns, Initialiser::kUniform);
    layout_.add_linear("gather", hidden, hidden, Initialiser::kUniform);
    layout_.add_linear("join", hidden, 2 * hidden, Initialiser::kUniform);
    for (const char* part : {"query", "key", "value", "output"}) {
      layout_.add_linear(std::string("attention/") + part, hidden, hidden, Initialiser::kUniform);
    }
    layout_.add_linear("widen/0", 4 * hidden, hidden, Initialiser::kUniform);
    layout_.add_linear("widen/1", hidden, 4 * hidden, Initialiser::kUniform);
    for (const char* norm : {"attention/norm", "widen/norm"}) {
      for (const char* part : {"/gain", "/bias"}) {
        layout_.add(std::string(norm) + part,
                    {static_cast<std::int64_t>(hidden)},
                    hidden,
                    Initialiser::kZero);
      }
    }
    layout_.add_linear("output", kDeviceScore, hidden, Initialiser::kUniform);
  }

  const doppler::ParameterLayout& layout() const override { return layout_; }
  bool sees_placement() const override { return false; }
  std::size_t steps_at_once(std::size_t ops) const override {
    return std::max<std::size_t>(1, ops);
  }
  std::unique_ptr<Pass> start(const NetGraph& graph,
                              const float* weights,
                              bool with_gradient) const override {
    return std::make_unique<GdpPass>(sizes_, layout_, graph, weights, with_gradient);
  }

 private:
  GdpSizes sizes_;
  doppler::ParameterLayout layout_;
};

}  // namespace

std::unique_ptr<PlacementNet> make_gdp_net(const GdpSizes& sizes) {
  return std::make_unique<GdpNet>(sizes);
}

}  // namespace berth::learned

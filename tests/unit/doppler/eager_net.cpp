// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "eager_net.hpp"

#include <cmath>
#include <map>
#include <string>

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

namespace berth::doppler {
namespace {

using torch::Tensor;
using Weights = std::map<std::string, Tensor>;

Tensor leaky(const Tensor& x) {
  return torch::where(x > 0, x, 0.1 * x);
}

Tensor linear(const Tensor& x, const Weights& w, const std::string& name) {
  return torch::matmul(x, w.at(name + "/weight").t()) + w.at(name + "/bias");
}

Tensor matrix_of(const std::vector<float>& values, std::int64_t rows) {
  return torch::tensor(values).view({rows, -1});
}

Tensor standardise(const Tensor& x, bool sample, double epsilon) {
  return (x - x.mean(0, true)) / (x.std(0, sample, true) + epsilon);
}

/// A GRU cell by its definition.
Tensor gru(const Tensor& x, const Tensor& h, const Weights& w, const std::string& net) {
  const auto gates = [&](const Tensor& in, const char* side) {
    return (torch::matmul(in, w.at(net + "/gru/weight_" + side).t()) +
            w.at(net + "/gru/bias_" + side))
        .chunk(3, 1);
  };
  const std::vector<Tensor> a = gates(x, "ih");
  const std::vector<Tensor> b = gates(h, "hh");
  const Tensor reset = torch::sigmoid(a[0] + b[0]);
  const Tensor update = torch::sigmoid(a[1] + b[1]);
  const Tensor fresh = torch::tanh(a[2] + reset * b[2]);
  return (1 - update) * fresh + update * h;
}

Tensor embed(const Architecture& arch,
             const Weights& w,
             const EncoderInput& input,
             const std::string& net) {
  const auto n = static_cast<std::int64_t>(input.num_ops);
  Tensor h = torch::relu(linear(matrix_of(input.node_features, n), w, net + "/input"));
  const auto hidden = static_cast<std::int64_t>(arch.hidden);
  for (std::size_t round = 0; round < arch.rounds; ++round) {
    std::vector<Tensor> messages(input.num_ops, torch::zeros({hidden}));
    for (std::size_t v = 0; v < input.num_ops; ++v) {
      for (std::int64_t p = input.target_pairs.offsets[v]; p < input.target_pairs.offsets[v + 1];
           ++p) {
        const auto pair =
            static_cast<std::size_t>(input.target_pairs.columns[static_cast<std::size_t>(p)]);
        const auto value = static_cast<std::size_t>(input.pair_value[pair]);
        std::vector<float> feature(
            input.edge_values.begin() + static_cast<std::ptrdiff_t>(value * arch.edge_columns),
            input.edge_values.begin() +
                static_cast<std::ptrdiff_t>((value + 1) * arch.edge_columns));
        const Tensor edge = torch::relu(linear(matrix_of(feature, 1), w, net + "/edge/0"));
        const Tensor matrix = linear(edge, w, net + "/edge/1").view({hidden, hidden});
        for (std::int64_t k = input.pair_sources.offsets[pair];
             k < input.pair_sources.offsets[pair + 1];
             ++k) {
          const std::int64_t u = input.pair_sources.columns[static_cast<std::size_t>(k)];
          messages[v] = messages[v] + torch::matmul(h[u], matrix);
        }
      }
    }
    const Tensor m = torch::stack(messages) + w.at(net + "/conv/bias");
    h = gru(torch::relu(m), h, w, net);
  }
  return leaky(h);
}

/// Sum of the embeddings along the path of each op, walked op by op.
Tensor paths(const Tensor& h,
             const std::vector<std::int64_t>& next,
             const std::vector<std::int64_t>& rows) {
  std::vector<Tensor> sums;
  for (std::int64_t v = 0; v < h.size(0); ++v) {
    Tensor sum = torch::zeros_like(h[0]);
    const std::int64_t first = rows.empty() ? v : rows[static_cast<std::size_t>(v)];
    for (std::int64_t u = first; u < h.size(0); u = next[static_cast<std::size_t>(u)]) {
      sum = sum + h[u];
    }
    sums.push_back(sum);
  }
  return standardise(torch::stack(sums), true, 1e-8);
}

Tensor rows_of(const Tensor& x, const std::vector<std::int64_t>& rows) {
  return x.index_select(0, torch::tensor(rows));
}

}  // namespace

EagerResult run_eager(const Architecture& arch,
                      const ParameterLayout& layout,
                      const std::vector<float>& flat,
                      const EncoderInput& input,
                      const std::vector<EagerStep>& steps,
                      float entropy_weight) {
  Weights w;
  for (const Parameter& p : layout.parameters()) {
    const auto begin = flat.begin() + static_cast<std::ptrdiff_t>(p.offset);
    w[p.name] =
        torch::tensor(std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(p.size)))
            .view(p.shape)
            .requires_grad_(true);
  }
  const auto n = static_cast<std::int64_t>(input.num_ops);
  const auto devices = static_cast<std::int64_t>(input.num_devices);
  const Tensor x = matrix_of(input.node_features, n);
  const Tensor hs = embed(arch, w, input, "sel");
  const Tensor b = paths(hs, input.b_next, input.b_rows);
  const Tensor t = paths(hs, input.t_next, input.t_rows);
  const Tensor hp = embed(arch, w, input, "plc");
  const Tensor z = leaky(linear(x, w, "plc/own"));
  const auto z_set = [&](const Tensor& rows) {
    return arch.normalise ? standardise(rows, false, 1e-6) : rows;
  };

  EagerResult result;
  Tensor loss = torch::zeros({1});
  std::vector<std::int64_t> placed_on(static_cast<std::size_t>(n), -1);
  const auto add_entropy = [&](const Tensor& log_p) {
    const Tensor finite = log_p.masked_select(log_p > -1e30);
    loss = loss + entropy_weight * (finite.exp() * finite).sum();
  };
  for (const EagerStep& step : steps) {
    const auto m = static_cast<std::int64_t>(step.candidates.size());
    const Tensor own_in =
        arch.normalise ? matrix_of(step.candidate_features, m) : rows_of(x, step.candidates);
    const Tensor c = torch::cat({leaky(linear(own_in, w, "sel/own")),
                                 rows_of(hs, step.candidates),
                                 z_set(rows_of(b, step.candidates)),
                                 z_set(rows_of(t, step.candidates))},
                                1);
    const Tensor sel =
        torch::log_softmax(linear(leaky(linear(c, w, "sel/hidden")), w, "sel/output").view(-1), 0);
    result.sel.push_back(sel[step.pick].item<double>());
    result.best_pick.push_back(sel.argmax().item<std::int64_t>());
    loss = loss - step.weight * sel[step.pick];
    add_entropy(sel);

    const std::int64_t v = step.candidates[static_cast<std::size_t>(step.pick)];
    std::vector<Tensor> sums(static_cast<std::size_t>(devices), torch::zeros_like(hp[0]));
    std::vector<Tensor> affinity(static_cast<std::size_t>(devices), torch::zeros({1}));
    const Tensor both = torch::cat({hp, z}, 1);
    const double scale =
        arch.normalise ? 1.0
                       : row_scale(static_cast<std::size_t>(n), static_cast<std::size_t>(devices));
    for (std::int64_t u = 0; u < n; ++u) {
      const std::int64_t d = placed_on[static_cast<std::size_t>(u)];
      if (d < 0) {
        continue;
      }
      auto& sum = sums[static_cast<std::size_t>(d)];
      sum = sum + hp[u] * scale;
      if (arch.affinity > 0) {
        const Tensor key = torch::matmul(w.at("plc/affinity/key"), both[u]);
        const Tensor query = torch::matmul(w.at("plc/affinity/query"), both[v]);
        auto& pair = affinity[static_cast<std::size_t>(d)];
        pair = pair + (key * query).sum() * scale;
      }
    }
    const Tensor y = leaky(linear(matrix_of(step.device_features, devices), w, "plc/device"));
    const Tensor e = torch::cat(
        {y, z[v].expand({devices, -1}), hp[v].expand({devices, -1}), z_set(torch::stack(sums))}, 1);
    Tensor logits =
        linear(leaky(linear(e, w, "plc/hidden")), w, "plc/output").view(-1) + torch::cat(affinity);
    std::vector<float> mask;
    for (const std::uint8_t legal : step.legal) {
      mask.push_back(legal != 0 ? 0.0F : -1e32F);
    }
    const Tensor plc = torch::log_softmax(logits + torch::tensor(mask), 0);
    result.plc.push_back(plc[step.device].item<double>());
    result.best_device.push_back(plc.argmax().item<std::int64_t>());
    loss = loss - step.weight * plc[step.device];
    add_entropy(plc);
    placed_on[static_cast<std::size_t>(v)] = step.device;
  }
  torch::autograd::backward({loss}, {torch::ones({1})});
  result.gradient.assign(layout.size(), 0.0F);
  for (const Parameter& p : layout.parameters()) {
    const Tensor grad = w.at(p.name).grad();
    if (grad.defined()) {
      const Tensor g = grad.contiguous();
      std::copy_n(g.data_ptr<float>(), p.size, result.gradient.data() + p.offset);
    }
  }
  return result;
}

}  // namespace berth::doppler

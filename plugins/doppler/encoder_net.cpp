// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "encoder_net.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/types.h>

#include "graph_ops_net.hpp"
#include "named_weights_net.hpp"

namespace berth::doppler {
namespace {

using torch::Tensor;
using Weights = NamedWeights;

constexpr double kSlope = 0.1;
constexpr std::int64_t kPairsToShare = 8;      // of a value, for which a matrix of its own pays
constexpr std::int64_t kRowsAtOnce = 1 << 14;  // [rows, J+1, H] stays within the caches

Tensor leaky(const Tensor& x) {
  return torch::leaky_relu(x, kSlope);
}

Tensor view_of(const std::vector<float>& values, std::int64_t rows) {
  auto* data = const_cast<float*>(values.data());  // from_blob() has no const form
  const std::int64_t columns = rows == 0 ? 0 : static_cast<std::int64_t>(values.size()) / rows;
  return torch::from_blob(data, {rows, columns}, torch::kFloat32);
}

/// Per column (x - mean) / (sample std + 1e-8) over all rows; a single row becomes zero.
Tensor normalise_columns(const Tensor& x) {
  if (x.size(0) < 2) {
    return x * 0.0;
  }
  return (x - x.mean(0, true)) / (x.std(0, /*unbiased=*/true, /*keepdim=*/true) + 1e-8);
}

/// The edge network: multiplies each row of a pair sum by the matrix of the pair's edge value.
/// Its matrices are made once and serve all rounds.
class EdgeMatrices {
 public:
  EdgeMatrices(const Weights& weights, const std::string& net, const EncoderInput& input) {
    const auto distinct = static_cast<std::int64_t>(input.value_offsets.size()) - 1;
    const Tensor& matrix = weights.at(net + "/edge/1/weight");  // [H*H, J]
    const Tensor& bias = weights.at(net + "/edge/1/bias");      // [H*H]
    const auto hidden = static_cast<std::int64_t>(std::sqrt(static_cast<double>(bias.size(0))));
    const Tensor values = view_of(input.edge_values, distinct);
    const Tensor basis = torch::relu(linear(values, weights, net + "/edge/0"));  // [distinct, J]
    const auto pairs = static_cast<std::int64_t>(input.pair_value.size());
    if (distinct <= basis.size(1) + 1 || distinct * kPairsToShare <= pairs) {
      by_value_ = torch::linear(basis, matrix, bias).view({distinct, hidden, hidden}).unbind(0);
      for (std::size_t q = 0; q + 1 < input.value_offsets.size(); ++q) {
        sizes_.push_back(input.value_offsets[q + 1] - input.value_offsets[q]);
      }
      return;
    }
    // The matrices are combinations of the columns of edge/1: with more values than columns, and
    // few pairs for each, it is cheaper to combine rows than matrices.
    auto* which = const_cast<std::int64_t*>(input.pair_value.data());
    weight_ = torch::cat({basis, torch::ones({distinct, 1})}, 1)
                  .index_select(0, torch::from_blob(which, {pairs}, torch::kInt64))
                  .unsqueeze(2);                           // [pairs, J+1, 1]
    stacked_ = torch::cat({matrix, bias.unsqueeze(1)}, 1)  // [H*H, J+1]
                   .view({hidden, hidden, -1})
                   .permute({2, 0, 1})
                   .reshape({-1, hidden});  // [(J+1)*H, H]
  }

  /// sums: [pairs, hidden]
  Tensor apply(const Tensor& sums) const {
    if (by_value_.empty()) {
      std::vector<Tensor> blocks;
      for (std::int64_t first = 0; first < sums.size(0); first += kRowsAtOnce) {
        const std::int64_t rows = std::min(kRowsAtOnce, sums.size(0) - first);
        const Tensor of_rows = weight_.narrow(0, first, rows) *
                               sums.narrow(0, first, rows).unsqueeze(1);  // [rows, J+1, H]
        blocks.push_back(torch::mm(of_rows.view({rows, -1}), stacked_));
      }
      return torch::cat(blocks, 0);
    }
    const std::vector<Tensor> parts = sums.split_with_sizes(sizes_, 0);
    std::vector<Tensor> products;
    for (std::size_t q = 0; q < parts.size(); ++q) {
      products.push_back(torch::mm(parts[q], by_value_[q]));
    }
    return torch::cat(products, 0);
  }

 private:
  std::vector<Tensor> by_value_;  ///< [distinct] of [hidden, hidden]
  std::vector<std::int64_t> sizes_;
  Tensor weight_, stacked_;
};

/// The graph network: embeddings [ops, hidden].
Tensor encode(const EncoderInput& input,
              const Weights& weights,
              const std::string& net,
              std::size_t rounds) {
  const Tensor x = view_of(input.node_features, static_cast<std::int64_t>(input.num_ops));
  Tensor state = torch::relu(linear(x, weights, net + "/input"));
  const bool has_arcs = !input.pair_value.empty();
  const auto matrices = has_arcs ? std::make_unique<EdgeMatrices>(weights, net, input) : nullptr;
  for (std::size_t round = 0; round < rounds; ++round) {
    Tensor message = weights.at(net + "/conv/bias").expand_as(state);
    if (has_arcs) {
      const Tensor products = matrices->apply(sum_rows(state, input.pair_sources));
      message = message + sum_rows(products, input.target_pairs);
    }
    state = torch::gru_cell(torch::relu(message),
                            state,
                            weights.at(net + "/gru/weight_ih"),
                            weights.at(net + "/gru/weight_hh"),
                            weights.at(net + "/gru/bias_ih"),
                            weights.at(net + "/gru/bias_hh"));
  }
  return leaky(state);
}

Tensor path_sums(const Tensor& embedding,
                 const std::vector<std::int64_t>& next,
                 const std::vector<std::int64_t>& order,
                 const std::vector<std::int64_t>& rows) {
  Tensor sums = sum_chains(embedding, next, order);
  if (!rows.empty()) {
    const Tensor which = torch::from_blob(const_cast<std::int64_t*>(rows.data()),
                                          {static_cast<std::int64_t>(rows.size())},
                                          torch::kInt64);
    sums = sums.index_select(0, which);
  }
  return normalise_columns(sums);
}

/// Members of Tables with the tensors they are filled from.
using Outputs = std::vector<std::pair<std::vector<float> Tables::*, Tensor>>;

void forward_sel(const EncoderInput& input,
                 const Architecture& architecture,
                 const Weights& weights,
                 Outputs& out) {
  const Tensor embedding = encode(input, weights, "sel", architecture.rounds);
  const Tensor b = path_sums(embedding, input.b_next, input.b_order, input.b_rows);
  const Tensor t = path_sums(embedding, input.t_next, input.t_order, input.t_rows);
  const std::vector<Tensor> block = weights.at("sel/hidden/weight").chunk(4, 1);
  Tensor fixed = torch::linear(embedding, block[1], weights.at("sel/hidden/bias"));
  if (architecture.normalise) {
    out.emplace_back(&Tables::sel_static, fixed);
    out.emplace_back(&Tables::sel_b, b);
    out.emplace_back(&Tables::sel_t, t);
    return;
  }
  const Tensor x = view_of(input.node_features, static_cast<std::int64_t>(input.num_ops));
  const Tensor own = leaky(linear(x, weights, "sel/own"));
  fixed = fixed + torch::linear(own, block[0]) + torch::linear(b, block[2]) +
          torch::linear(t, block[3]);
  out.emplace_back(&Tables::sel_score, linear(leaky(fixed), weights, "sel/output").squeeze(1));
}

void forward_plc(const EncoderInput& input,
                 const Architecture& architecture,
                 const Weights& weights,
                 Outputs& out) {
  const Tensor embedding = encode(input, weights, "plc", architecture.rounds);
  const Tensor x = view_of(input.node_features, static_cast<std::int64_t>(input.num_ops));
  const Tensor own = leaky(linear(x, weights, "plc/own"));
  const std::vector<Tensor> block = weights.at("plc/hidden/weight").chunk(4, 1);
  out.emplace_back(&Tables::plc_static,
                   torch::linear(own, block[1]) +
                       torch::linear(embedding, block[2], weights.at("plc/hidden/bias")));
  if (architecture.normalise) {
    out.emplace_back(&Tables::plc_row, embedding);
    return;
  }
  const double scale = row_scale(input.num_ops, input.num_devices);
  Tensor row = torch::linear(embedding, block[3]);
  if (architecture.affinity > 0) {
    const Tensor both = torch::cat({embedding, own}, 1);
    row = torch::cat({row, torch::linear(both, weights.at("plc/affinity/key"))}, 1);
    out.emplace_back(&Tables::plc_query, torch::linear(both, weights.at("plc/affinity/query")));
  }
  out.emplace_back(&Tables::plc_row, row * scale);
}

Tables copy_out(const Outputs& outputs) {
  Tables tables;
  for (const auto& [member, tensor] : outputs) {
    const Tensor flat = tensor.detach().contiguous();
    const auto* data = flat.data_ptr<float>();
    (tables.*member).assign(data, data + flat.numel());
  }
  return tables;
}

}  // namespace

struct EncoderNet::State {
  Architecture architecture;
  const ParameterLayout* layout = nullptr;

  Outputs forward(const EncoderInput& input, const Weights& weights) const {
    Outputs outputs;
    forward_sel(input, architecture, weights, outputs);
    forward_plc(input, architecture, weights, outputs);
    return outputs;
  }
};

struct EncoderNet::Tape::State {
  const ParameterLayout* layout = nullptr;
  Weights weights;
  Outputs outputs;
  Tables tables;
};

EncoderNet::EncoderNet(const Architecture& architecture, const ParameterLayout& layout)
    : state_(new State{architecture, &layout}) {
  at::set_num_threads(1);
}
EncoderNet::~EncoderNet() = default;
EncoderNet::EncoderNet(EncoderNet&&) noexcept = default;
EncoderNet& EncoderNet::operator=(EncoderNet&&) noexcept = default;
EncoderNet::Tape::Tape() : state_(new State) {}
EncoderNet::Tape::~Tape() = default;
EncoderNet::Tape::Tape(Tape&&) noexcept = default;
EncoderNet::Tape& EncoderNet::Tape::operator=(Tape&&) noexcept = default;

Tables EncoderNet::tables(const EncoderInput& input, const float* weights) const {
  if (input.num_ops == 0) {
    return {};
  }
  const torch::NoGradGuard no_gradient;
  return copy_out(state_->forward(input, named_weights(*state_->layout, weights, false)));
}

EncoderNet::Tape EncoderNet::record(const EncoderInput& input, const float* weights) const {
  Tape tape;
  tape.state_->layout = state_->layout;
  if (input.num_ops > 0) {
    tape.state_->weights = named_weights(*state_->layout, weights, true);
    tape.state_->outputs = state_->forward(input, tape.state_->weights);
    tape.state_->tables = copy_out(tape.state_->outputs);
  }
  return tape;
}

const Tables& EncoderNet::Tape::tables() const {
  return state_->tables;
}

void EncoderNet::Tape::backward(const Tables& gradient, float* out) {
  std::vector<Tensor> roots;
  std::vector<Tensor> seeds;
  for (const auto& [member, tensor] : state_->outputs) {
    roots.push_back(tensor);
    auto* data = const_cast<float*>((gradient.*member).data());
    seeds.push_back(torch::from_blob(data, tensor.sizes(), torch::kFloat32));
  }
  if (roots.empty()) {
    return;
  }
  torch::autograd::backward(roots, seeds);
  add_gradients(*state_->layout, state_->weights, out);
}

}  // namespace berth::doppler

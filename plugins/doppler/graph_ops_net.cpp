// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "graph_ops_net.hpp"

#include <algorithm>
#include <cstdint>

namespace berth::doppler {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void add_row(float* to, const float* from, std::int64_t columns) {
  for (std::int64_t c = 0; c < columns; ++c) {
    to[c] += from[c];
  }
}

struct RowSumFunction : torch::autograd::Function<RowSumFunction> {
  static torch::Tensor forward(AutogradContext* context, torch::Tensor x, const RowSums* sums) {
    context->saved_data["sums"] = reinterpret_cast<std::int64_t>(sums);
    const torch::Tensor from = x.contiguous();
    const std::int64_t columns = from.size(1);
    const auto rows = static_cast<std::int64_t>(sums->outputs());
    torch::Tensor out = torch::zeros({rows, columns}, from.options());
    auto* to = out.data_ptr<float>();
    const auto* source = from.data_ptr<float>();
    for (std::size_t r = 0; r < sums->outputs(); ++r) {
      for (std::int64_t k = sums->offsets[r]; k < sums->offsets[r + 1]; ++k) {
        add_row(to + static_cast<std::int64_t>(r) * columns,
                source + sums->columns[static_cast<std::size_t>(k)] * columns,
                columns);
      }
    }
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto* sums = reinterpret_cast<const RowSums*>(context->saved_data["sums"].toInt());
    const torch::Tensor from = gradients[0].contiguous();
    const std::int64_t columns = from.size(1);
    torch::Tensor out =
        torch::zeros({static_cast<std::int64_t>(sums->inputs), columns}, from.options());
    auto* to = out.data_ptr<float>();
    const auto* source = from.data_ptr<float>();
    for (std::size_t r = 0; r < sums->outputs(); ++r) {
      for (std::int64_t k = sums->offsets[r]; k < sums->offsets[r + 1]; ++k) {
        add_row(to + sums->columns[static_cast<std::size_t>(k)] * columns,
                source + static_cast<std::int64_t>(r) * columns,
                columns);
      }
    }
    return {out, torch::Tensor()};
  }
};

struct ChainSumFunction : torch::autograd::Function<ChainSumFunction> {
  static torch::Tensor forward(AutogradContext* context,
                               torch::Tensor x,
                               const std::vector<std::int64_t>* next,
                               const std::vector<std::int64_t>* order) {
    context->saved_data["next"] = reinterpret_cast<std::int64_t>(next);
    context->saved_data["order"] = reinterpret_cast<std::int64_t>(order);
    torch::Tensor out = x.contiguous().clone();
    const std::int64_t columns = out.size(1);
    auto* rows = out.data_ptr<float>();
    for (const std::int64_t v : *order) {
      const std::int64_t after = (*next)[static_cast<std::size_t>(v)];
      if (after < out.size(0)) {
        add_row(rows + v * columns, rows + after * columns, columns);
      }
    }
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    using Ids = std::vector<std::int64_t>;
    const auto& next = *reinterpret_cast<const Ids*>(context->saved_data["next"].toInt());
    const auto& order = *reinterpret_cast<const Ids*>(context->saved_data["order"].toInt());
    torch::Tensor out = gradients[0].contiguous().clone();
    const std::int64_t columns = out.size(1);
    auto* rows = out.data_ptr<float>();
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
      const std::int64_t after = next[static_cast<std::size_t>(*v)];
      if (after < out.size(0)) {
        add_row(rows + after * columns, rows + *v * columns, columns);
      }
    }
    return {out, torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor sum_rows(const torch::Tensor& x, const RowSums& sums) {
  return RowSumFunction::apply(x, &sums);
}

torch::Tensor sum_chains(const torch::Tensor& x,
                         const std::vector<std::int64_t>& next,
                         const std::vector<std::int64_t>& order) {
  return ChainSumFunction::apply(x, &next, &order);
}

}  // namespace berth::doppler

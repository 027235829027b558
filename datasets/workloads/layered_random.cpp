// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "layered_random.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "berth/error.hpp"
#include "berth/rng.hpp"

namespace berth::datasets {
namespace {

constexpr std::uint64_t kWorkStream = 1;
constexpr std::uint64_t kEdgeStream = 2;
constexpr std::uint64_t kMostWork = 100;
constexpr double kMeanWork = 50.5;

void check(const LayeredSpec& spec) {
  if (spec.layers > spec.ops || spec.degree == 0 || !(spec.ccr >= 0.0) || std::isinf(spec.ccr)) {
    throw InputError("layered graph of " + std::to_string(spec.ops) + " ops, " +
                     std::to_string(spec.layers) + " layers, degree " +
                     std::to_string(spec.degree) +
                     ": expected at most as many layers as ops, degree >= 1 and a finite ccr >= 0");
  }
}

/// `count` distinct members of first .. first + size - 1, ascending.
void pick(Rng& rng,
          std::size_t first,
          std::size_t size,
          std::size_t count,
          std::vector<std::size_t>& chosen) {
  chosen.clear();
  // Floyd's sampling: no rejection, so a degree near the layer's size stays cheap.
  for (std::size_t j = size - count; j < size; ++j) {
    const std::size_t candidate = first + rng.below(j + 1);
    const bool taken = std::find(chosen.begin(), chosen.end(), candidate) != chosen.end();
    chosen.push_back(taken ? first + j : candidate);
  }
  std::sort(chosen.begin(), chosen.end());
}

}  // namespace

Graph make_layered_random(const LayeredSpec& spec) {
  check(spec);
  const std::size_t layers =
      spec.layers > 0
          ? spec.layers
          : static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(spec.ops))));
  Rng work_rng(spec.seed, {kWorkStream});
  Rng edge_rng(spec.seed, {kEdgeStream});
  const auto most_size =
      static_cast<std::uint64_t>(std::max(std::round(2.0 * spec.ccr * kMeanWork), 0.0));
  GraphBuilder builder("layered-" + std::to_string(spec.ops));
  builder.cost_basis(CostBasis::kTime, 1e-6);
  for (std::size_t v = 0; v < spec.ops; ++v) {
    OpSpec op;
    op.work = static_cast<double>(1 + work_rng.below(kMostWork));
    builder.add_op(std::move(op));
  }
  const auto layer_begin = [&](std::size_t layer) { return layer * spec.ops / layers; };
  std::vector<std::size_t> chosen;
  for (std::size_t layer = 1; layer < layers; ++layer) {
    const std::size_t before = layer_begin(layer - 1);
    const std::size_t begin = layer_begin(layer);
    for (std::size_t v = begin; v < layer_begin(layer + 1); ++v) {
      pick(edge_rng, before, begin - before, std::min(spec.degree, begin - before), chosen);
      for (const std::size_t u : chosen) {
        const auto size = most_size == 0 ? 0 : 1 + edge_rng.below(most_size);
        builder.add_edge(to_id<OpId>(u), to_id<OpId>(v), static_cast<double>(size));
      }
    }
  }
  return builder.freeze();
}

}  // namespace berth::datasets

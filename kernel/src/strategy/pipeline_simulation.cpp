// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "berth/plan_score.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

constexpr double kPending = -1.0;

// The k-th op of stage q of p: a forward pass (true) or a backward pass, and its micro-batch.
struct Op {
  bool forward;
  std::size_t micro_batch;
};

Op op_at(std::size_t k, std::size_t q, std::size_t p, std::size_t b) {
  const std::size_t warm = std::min(b, p - q - 1);
  if (k < warm) {
    return {true, k};
  }
  const std::size_t steady = 2 * (b - warm);
  if (k < warm + steady) {
    const std::size_t step = k - warm;
    return step % 2 == 0 ? Op{true, warm + step / 2} : Op{false, step / 2};
  }
  return {false, b - warm + (k - warm - steady)};
}

}  // namespace

double simulate_1f1b(const std::vector<PipelineStage>& stages, std::size_t micro_batches) {
  const std::size_t p = stages.size();
  const std::size_t b = micro_batches;
  std::vector<double> forward_end(p * b, kPending);
  std::vector<double> backward_end(p * b, kPending);
  std::vector<double> clock(p, 0.0);
  std::vector<std::size_t> next(p, 0);
  std::size_t done = 0;
  while (done < 2 * p * b) {
    for (std::size_t q = 0; q < p; ++q) {
      while (next[q] < 2 * b) {
        const Op op = op_at(next[q], q, p, b);
        double ready = 0.0;
        if (op.forward && q > 0) {
          const double end = forward_end[(q - 1) * b + op.micro_batch];
          ready = end == kPending ? kPending : end + stages[q - 1].link_seconds;
        } else if (!op.forward && q + 1 < p) {
          const double end = backward_end[(q + 1) * b + op.micro_batch];
          ready = end == kPending ? kPending : end + stages[q].link_seconds;
        }
        if (ready == kPending) {
          break;
        }
        const double length = op.forward ? stages[q].forward_seconds : stages[q].backward_seconds;
        clock[q] = std::max(clock[q], ready) + length;
        (op.forward ? forward_end : backward_end)[q * b + op.micro_batch] = clock[q];
        ++next[q];
        ++done;
      }
    }
  }
  return p == 0 ? 0.0 : *std::max_element(clock.begin(), clock.end());
}

}  // namespace abi_v1
}  // namespace berth

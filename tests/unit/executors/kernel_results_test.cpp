// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "berth/rng.hpp"

#include "core/op_shape.hpp"
#include "cpu_executor.hpp"
#include "datasets/workloads/workload_word.hpp"
#include "small_problem.hpp"

namespace berth::executors {
namespace {

using Values = std::vector<double>;

/// A matrix of a graph input, from its definition.
class Input {
 public:
  Input(std::uint32_t number, double amplitude) : number_(number), amplitude_(amplitude) {}
  template <class... Index>
  double operator()(Index... at) const {
    return static_cast<double>(
        input_value(number_, amplitude_, {static_cast<std::uint32_t>(at)...}));
  }

 private:
  std::uint32_t number_;
  double amplitude_;
};

Input weight(std::uint32_t number, std::size_t reduced) {
  return {number, std::sqrt(3.0 / static_cast<double>(reduced))};
}

std::shared_ptr<const PlacementProblem> problem_of_word(const std::string& word,
                                                        std::size_t devices) {
  return make_problem(word, datasets::make_workload_of(word), Topology::uniform(devices), {});
}

Placement random_placement(const PlacementProblem& problem, std::uint64_t seed) {
  Rng rng(seed, {3});
  Placement placement;
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    placement.device.push_back(to_id<DeviceId>(rng.below(problem.topology.num_devices())));
  }
  return placement;
}

/// The results of all sinks whose name starts with `label`, put together: rows of the first axis.
Values result(const PlacementProblem& problem,
              const CpuExecutor& executor,
              const std::string& label,
              std::size_t columns) {
  std::map<std::size_t, double> all;
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    const auto op = to_id<OpId>(v);
    if (!problem.graph.op_name(op).starts_with(label)) {
      continue;
    }
    const OpKernel kernel = parse_op_kernel(problem.graph.kernel(op));
    const std::vector<float> block = executor.output(op);
    EXPECT_EQ(block.size(), kernel.output_reals());
    const AxisRange& rows = kernel.output[0];
    const AxisRange one{'z', 0, 1};
    const AxisRange& across = kernel.output.size() > 1 ? kernel.output[1] : one;
    for (std::uint32_t r = rows.begin; r < rows.end; ++r) {
      for (std::uint32_t c = across.begin; c < across.end; ++c) {
        all[r * columns + c] =
            static_cast<double>(block[(r - rows.begin) * across.length() + (c - across.begin)]);
      }
    }
  }
  Values values;
  for (const auto& [at, value] : all) {
    EXPECT_EQ(at, values.size()) << "a hole in the result";
    values.push_back(value);
  }
  return values;
}

/// Runs ten random placements and one device alone; all must be `expected` to rounding.
void expect_results(const PlacementProblem& problem,
                    const std::string& label,
                    std::size_t columns,
                    const Values& expected,
                    double tolerance) {
  CpuExecutor executor(problem, {});
  for (std::uint64_t seed = 0; seed <= 10; ++seed) {
    Placement placement = random_placement(problem, seed);
    if (seed == 10) {
      placement.device.assign(placement.device.size(), to_id<DeviceId>(0));
    }
    const Measurement found = executor.measure(placement, {0, 2, 60.0});
    ASSERT_EQ(found.status, RolloutStatus::kOk) << found.reason;
    const Values values = result(problem, executor, label, columns);
    ASSERT_EQ(values.size(), expected.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      worst = std::max(worst, std::abs(values[i] - expected[i]) / (1.0 + std::abs(expected[i])));
    }
    EXPECT_LT(worst, tolerance) << "placement " << seed;
  }
}

TEST(KernelResults, ChainMmOfAnyPlacementIsTheSumOfItsProducts) {
  constexpr std::size_t kSide = 24;
  const auto problem = problem_of_word("workload:chain-mm:4:physical:i24j24k24l24m24", 3);
  const Input d(0, 1.0);
  const Input e = weight(1, kSide);
  const Input c = weight(2, kSide);
  const Input a(3, 1.0);
  const Input b = weight(4, kSide);
  Values de(kSide * kSide, 0.0);
  for (std::size_t k = 0; k < kSide; ++k) {
    for (std::size_t j = 0; j < kSide; ++j) {
      for (std::size_t l = 0; l < kSide; ++l) {
        de[k * kSide + j] += d(k, l) * e(l, j);
      }
    }
  }
  Values y(kSide * kSide, 0.0);
  for (std::size_t i = 0; i < kSide; ++i) {
    for (std::size_t j = 0; j < kSide; ++j) {
      for (std::size_t k = 0; k < kSide; ++k) {
        y[i * kSide + j] += a(i, k) * b(k, j) + c(i, k) * de[k * kSide + j];
      }
    }
  }
  expect_results(*problem, "sum[", kSide, y, 1e-5);
}

TEST(KernelResults, FfnnOfAnyPlacementIsASoftmaxOverItsOutputs) {
  constexpr std::size_t kBatch = 32;
  constexpr std::size_t kIn = 8;
  constexpr std::size_t kOut = 6;
  constexpr std::size_t kHidden = 20;
  const auto problem = problem_of_word("workload:ffnn:4:physical:b32i8o6h20", 3);
  const Input x(0, 1.0);
  const Input w1 = weight(1, kIn);
  const Input w2 = weight(2, kHidden);
  Values y;
  for (std::size_t b = 0; b < kBatch; ++b) {
    Values out(kOut, 0.0);
    for (std::size_t h = 0; h < kHidden; ++h) {
      double hidden = 0.0;
      for (std::size_t i = 0; i < kIn; ++i) {
        hidden += x(b, i) * w1(i, h);
      }
      for (std::size_t o = 0; o < kOut; ++o) {
        out[o] += std::max(hidden, 0.0) * w2(h, o);
      }
    }
    double total = 0.0;
    for (const double value : out) {
      total += std::exp(value);
    }
    for (const double value : out) {
      y.push_back(std::exp(value) / total);
    }
  }
  expect_results(*problem, "softmax divide[", kOut, y, 1e-5);
}

/// A Llama layer written from its definition, position by position, in double precision.
class PlainLlama {
 public:
  static constexpr std::size_t kS = 16;
  static constexpr std::size_t kH = 24;
  static constexpr std::size_t kN = 4;
  static constexpr std::size_t kD = 8;
  static constexpr std::size_t kF = 40;
  static constexpr std::size_t kV = 32;

  /// Logits after the last position.
  static Values logits() {
    const Input x(1, 1.0);
    std::vector<Values> rows(kS, Values(kH));
    for (std::size_t s = 0; s < kS; ++s) {
      for (std::size_t h = 0; h < kH; ++h) {
        rows[s][h] = x(s, h);
      }
    }
    std::vector<Values> attended = attention(rows);
    for (std::size_t s = 0; s < kS; ++s) {
      for (std::size_t h = 0; h < kH; ++h) {
        rows[s][h] += attended[s][h];
      }
    }
    Values last = rows[kS - 1];
    const Values net = feed_forward(norm(last, 7));
    for (std::size_t h = 0; h < kH; ++h) {
      last[h] += net[h];
    }
    last = norm(last, 11);
    const Input w = weight(12, kH);
    Values logits(kV, 0.0);
    for (std::size_t v = 0; v < kV; ++v) {
      for (std::size_t h = 0; h < kH; ++h) {
        logits[v] += last[h] * w(h, v);
      }
    }
    return logits;
  }

 private:
  static Values norm(const Values& row, std::uint32_t number) {
    const Input w(number, 1.0);
    double mean = 0.0;
    for (const double value : row) {
      mean += value * value / static_cast<double>(kH);
    }
    Values out(kH);
    for (std::size_t h = 0; h < kH; ++h) {
      out[h] = row[h] / std::sqrt(mean + 1e-5) * w(h);
    }
    return out;
  }

  /// One head's queries, keys or values of a position.
  static Values project(const Values& row, std::uint32_t number, std::size_t n) {
    const Input w = weight(number, kH);
    Values out(kD, 0.0);
    for (std::size_t d = 0; d < kD; ++d) {
      for (std::size_t h = 0; h < kH; ++h) {
        out[d] += row[h] * w(h, n, d);
      }
    }
    return out;
  }

  static Values turned(const Values& row, std::size_t s) {
    const Input angle(0, 3.14);
    Values out(kD);
    for (std::size_t c = 0; c < kD / 2; ++c) {
      const double re = std::cos(angle(s, c));
      const double im = std::sin(angle(s, c));
      out[2 * c] = row[2 * c] * re - row[2 * c + 1] * im;
      out[2 * c + 1] = row[2 * c] * im + row[2 * c + 1] * re;
    }
    return out;
  }

  static std::vector<Values> attention(const std::vector<Values>& rows) {
    const Input wo = weight(6, kN * kD);
    std::vector<Values> out(kS, Values(kH, 0.0));
    std::vector<Values> normed;
    for (const Values& row : rows) {
      normed.push_back(norm(row, 2));
    }
    for (std::size_t n = 0; n < kN; ++n) {
      for (std::size_t s = 0; s < kS; ++s) {
        const Values q = turned(project(normed[s], 3, n), s);
        Values share(s + 1);
        double total = 0.0;
        for (std::size_t t = 0; t <= s; ++t) {
          const Values k = turned(project(normed[t], 4, n), t);
          double score = 0.0;
          for (std::size_t d = 0; d < kD; ++d) {
            score += q[d] * k[d];
          }
          share[t] = std::exp(score / std::sqrt(static_cast<double>(kD)));
          total += share[t];
        }
        for (std::size_t t = 0; t <= s; ++t) {
          const Values v = project(normed[t], 5, n);
          for (std::size_t d = 0; d < kD; ++d) {
            for (std::size_t h = 0; h < kH; ++h) {
              out[s][h] += share[t] / total * v[d] * wo(n, d, h);
            }
          }
        }
      }
    }
    return out;
  }

  static Values feed_forward(const Values& row) {
    const Input gate = weight(8, kH);
    const Input up = weight(9, kH);
    const Input down = weight(10, kF);
    Values out(kH, 0.0);
    for (std::size_t f = 0; f < kF; ++f) {
      double g = 0.0;
      double u = 0.0;
      for (std::size_t h = 0; h < kH; ++h) {
        g += row[h] * gate(h, f);
        u += row[h] * up(h, f);
      }
      for (std::size_t h = 0; h < kH; ++h) {
        out[h] += g / (1.0 + std::exp(-g)) * u * down(f, h);
      }
    }
    return out;
  }
};

TEST(KernelResults, LlamaLayerOfAnyPlacementIsTheLayerWrittenOut) {
  const auto problem = problem_of_word("workload:llama-layer:4:physical:s16h24n4d8f40v32", 3);
  expect_results(*problem, "logits formation[", 1, PlainLlama::logits(), 1e-4);
}

TEST(KernelResults, EveryWorkloadRunsCutForAnyNumberOfDevices) {
  for (const char* name : {"chain-mm", "ffnn", "llama-block", "llama-layer"}) {
    for (const char* devices : {"1", "2", "3", "8"}) {
      const std::string extents = std::string(name) == "chain-mm" ? "i40j40k40l40m40"
                                  : std::string(name) == "ffnn"   ? "b64i8o6h64"
                                                                  : "s32h48n8d8f48v64";
      const auto problem = problem_of_word(
          "workload:" + std::string(name) + ":" + devices + ":physical:" + extents, 2);
      CpuExecutor executor(*problem, {});
      const Measurement found = executor.measure(random_placement(*problem, 1), {0, 1, 60.0});
      EXPECT_EQ(found.status, RolloutStatus::kOk) << found.reason;
      for (std::size_t v = 0; v < problem->graph.num_ops(); ++v) {
        for (const float value : executor.output(to_id<OpId>(v))) {
          ASSERT_TRUE(std::isfinite(value)) << problem->graph.op_name(to_id<OpId>(v));
        }
      }
    }
  }
}

}  // namespace
}  // namespace berth::executors

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "berth/collectives.hpp"
#include "berth/roofline.hpp"

#include "datasets/models/layer_pricing.hpp"
#include "tests/reference/nest/csv_rows.hpp"
#include "tests/reference/nest/nelder_mead.hpp"
#include "tests/reference_data.hpp"

namespace berth {
namespace {

// One measured iteration of Megatron-DeepSpeed on A100s of one node.
struct Iteration {
  std::size_t problem = 0;
  double micro_batch = 0, global_batch = 0, hidden = 0, layers = 0, sequence = 0;
  double t = 0, d = 0, p = 0;
  double measured_seconds = 0;
};

std::vector<Iteration> read_runs(const std::filesystem::path& file) {
  std::map<std::tuple<double, double, double, double>, std::size_t> problems;
  std::vector<Iteration> runs;
  for (const CsvRow& row : read_csv_rows(file)) {
    const auto number = [&](const char* key) { return std::stod(row.at(key)); };
    Iteration run;
    run.micro_batch = number("micro batch");
    run.global_batch = number("global batch");
    run.hidden = number("hidden size");
    run.layers = number("# layers");
    run.sequence = number("sequence length");
    run.t = number("tensor parallelism");
    run.d = number("data parallelism");
    run.p = number("pipeline parallelism");
    run.measured_seconds = 1e-3 * number("iteration time (ms)");
    const auto key = std::make_tuple(number("# GPUs"), run.global_batch, run.hidden, run.layers);
    run.problem = problems.emplace(key, problems.size()).first->second;
    runs.push_back(run);
  }
  return runs;
}

// What is fitted, as logarithms: matrix and memory efficiency, overhead, latency, bandwidth, and a
// constant per iteration.
struct Constants {
  Roofline roofline;
  NetworkLevels network;
  double fixed_seconds = 0.0;
};

Constants constants_of(const std::vector<double>& logs) {
  Constants constants;
  constants.roofline.peak_flops_per_second = 312e12;
  constants.roofline.memory_bytes_per_second = 2.0e12;
  constants.roofline.matrix_efficiency = std::exp(logs[0]);
  constants.roofline.memory_efficiency = std::exp(logs[1]);
  constants.roofline.kernel_overhead_seconds = std::exp(logs[2]);
  const std::uint32_t units[] = {8};
  constants.network =
      NetworkLevels::uniform(units, {{"nvlink", std::exp(logs[4]), std::exp(logs[3]), 0.0, 1}});
  constants.fixed_seconds = std::exp(logs[5]);
  return constants;
}

// Prices runs with the layers of the product, each (hidden, t, micro-batch) once.
class Predictor {
 public:
  explicit Predictor(const std::vector<double>& logs)
      : constants_(constants_of(logs)), collectives_(constants_.network) {}

  double seconds(const Iteration& run) {
    const Parts& parts = parts_of(run);
    const double per_stage = run.layers / run.p;
    const double bytes = 2.0 * run.micro_batch * run.sequence * run.hidden;
    const AffineCost message = collectives_.point_to_point(0, 1);
    const double hop = message.seconds + bytes * message.seconds_per_byte;
    const double waves = run.global_batch / run.micro_batch / run.d;
    double sum = 0.0;
    double slowest = 0.0;
    for (int q = 0; q < static_cast<int>(run.p); ++q) {
      const bool first = q == 0;
      const bool last = q + 1 == static_cast<int>(run.p);
      const double load = per_stage * parts.layer + (first ? parts.embedding : 0.0) +
                          (last ? parts.head : 0.0) + (first ? 0.0 : hop) + (last ? 0.0 : hop);
      sum += load;
      slowest = std::max(slowest, load);
    }
    const double parameters = per_stage * parts.layer_parameters + parts.embedding_parameters;
    GroupShape replicas{{static_cast<std::uint32_t>(run.d)}};
    return sum + (waves - 1.0) * slowest +
           collectives_.all_reduce(replicas).seconds(2.0 * parameters) + constants_.fixed_seconds;
  }

 private:
  struct Parts {
    double layer = 0, embedding = 0, head = 0;
    double layer_parameters = 0, embedding_parameters = 0;
  };

  const Parts& parts_of(const Iteration& run) {
    const auto key = std::make_tuple(run.hidden, run.t, run.micro_batch, run.sequence);
    const auto found = cache_.find(key);
    if (found != cache_.end()) {
      return found->second;
    }
    datasets::Transformer m;
    m.layers = static_cast<std::uint32_t>(run.layers);
    m.hidden = static_cast<std::uint32_t>(run.hidden);
    m.heads = m.kv_heads = 16;
    m.head = m.hidden / 16;
    m.feed_forward = 4 * m.hidden;
    m.vocabulary = 51200;
    m.sequence = m.positions = static_cast<std::uint32_t>(run.sequence);
    m.norm_vectors = 2;
    m.gated = false;
    m.biases = m.tied = m.dropout = true;
    const auto t = static_cast<std::uint32_t>(run.t);
    const datasets::Degrees degrees{t, 1, 1, false, static_cast<std::uint32_t>(run.micro_batch)};
    datasets::InLayerCollectives traffic;
    const GroupShape group{{t}};
    traffic.tensor_all_reduce = collectives_.all_reduce(group);
    datasets::KernelChoices kernels;
    kernels.flash_attention = false;
    const Roofline& roofline = constants_.roofline;
    const LayerCost layer = datasets::price_layer(m, 0, degrees, roofline, traffic, kernels);
    const LayerCost embedding = datasets::price_embedding(m, degrees, roofline, traffic);
    const LayerCost head = datasets::price_head(m, degrees, roofline, traffic);
    return cache_
        .emplace(key,
                 Parts{layer.forward_seconds + layer.backward_seconds,
                       embedding.forward_seconds + embedding.backward_seconds,
                       head.forward_seconds + head.backward_seconds,
                       layer.dense_parameters,
                       embedding.dense_parameters})
        .first->second;
  }

  Constants constants_;
  Collectives collectives_;
  std::map<std::tuple<double, double, double, double>, Parts> cache_;
};

struct Quality {
  double mean_error = 0, pairs = 0, mean_regret = 0, runs = 0;
};

using Chosen = std::function<bool(const Iteration&)>;

Quality quality_of(const std::vector<Iteration>& runs,
                   const std::vector<double>& logs,
                   const Chosen& chosen) {
  Predictor predictor(logs);
  std::map<std::size_t, std::vector<std::pair<double, double>>> by_problem;
  Quality quality;
  for (const Iteration& run : runs) {
    if (chosen(run)) {
      const double predicted = predictor.seconds(run);
      quality.mean_error += std::abs(predicted / run.measured_seconds - 1.0);
      ++quality.runs;
      by_problem[run.problem].emplace_back(predicted, run.measured_seconds);
    }
  }
  quality.mean_error /= quality.runs;
  double ordered = 0;
  double pairs = 0;
  for (const auto& [problem, plans] : by_problem) {
    double best = INFINITY;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      best = std::min(best, plans[i].second);
      for (std::size_t j = 0; j < i; ++j) {
        ++pairs;
        ordered += (plans[i].first < plans[j].first) == (plans[i].second < plans[j].second) ? 1 : 0;
      }
    }
    const auto first = std::min_element(plans.begin(), plans.end());
    quality.mean_regret += first->second / best - 1.0;
  }
  quality.mean_regret /= static_cast<double>(by_problem.size());
  quality.pairs = ordered / pairs;
  return quality;
}

void print(const char* name, const Quality& quality) {
  std::printf("%s: mean error %.1f %%, pairs ordered right %.1f %%, mean regret %.1f %%\n",
              name,
              100 * quality.mean_error,
              100 * quality.pairs,
              100 * quality.mean_regret);
}

// Least squares on log time, robust, over the chosen runs.
std::vector<double> fitted(const std::vector<Iteration>& runs,
                           std::vector<double> logs,
                           int restarts,
                           const Chosen& chosen) {
  const auto loss = [&](const std::vector<double>& at) {
    Predictor predictor(at);
    double sum = 0.0;
    for (const Iteration& run : runs) {
      if (chosen(run)) {
        const double miss = std::log(predictor.seconds(run) / run.measured_seconds);
        sum += std::sqrt(1.0 + miss * miss * 25.0) - 1.0;
      }
    }
    return sum;
  };
  for (int restart = 0; restart < restarts; ++restart) {
    logs = nelder_mead(logs, 0.3, 150, loss);
  }
  return logs;
}

const std::vector<double> kStart = {
    std::log(0.5), std::log(0.7), std::log(50e-6), std::log(1e-5), std::log(2e11), std::log(5e-3)};

TEST(MeasuredIterations, ConstantsOfEvenProblemsPredictTheOddOnes) {
  BERTH_NEEDS_REFERENCE_DATA("vtrain_measured");
  const std::vector<Iteration> runs =
      read_runs(reference_data() / "vtrain_measured" / "ground_truth_single.csv");
  ASSERT_EQ(runs.size(), 1440U);
  const Chosen even = [](const Iteration& run) { return run.problem % 2 == 0; };
  const Chosen odd = [](const Iteration& run) { return run.problem % 2 == 1; };

  const std::vector<double> logs = fitted(runs, kStart, 3, even);

  const Quality held_out = quality_of(runs, logs, odd);
  std::printf(
      "matrix efficiency %.3f, memory efficiency %.3f, kernel overhead %.1f us, latency %.1f "
      "us, bandwidth %.0f GB/s, constant %.1f ms\n",
      std::exp(logs[0]),
      std::exp(logs[1]),
      1e6 * std::exp(logs[2]),
      1e6 * std::exp(logs[3]),
      1e-9 * std::exp(logs[4]),
      1e3 * std::exp(logs[5]));
  print("fitted half", quality_of(runs, logs, even));
  print("other half", held_out);
  EXPECT_LE(held_out.mean_error, 0.084);
  EXPECT_LE(held_out.mean_regret, 0.05);
  EXPECT_GE(held_out.pairs, 0.90);
}

TEST(MeasuredIterations, FiveFoldsByProblemPredictWhatTheyHaveNotSeen) {
  BERTH_NEEDS_REFERENCE_DATA("vtrain_measured");
  const std::vector<Iteration> runs =
      read_runs(reference_data() / "vtrain_measured" / "ground_truth_single.csv");
  Quality mean;
  for (std::size_t fold = 0; fold < 5; ++fold) {
    const std::vector<double> logs =
        fitted(runs, kStart, 2, [&](const Iteration& run) { return run.problem % 5 != fold; });
    const Quality unseen =
        quality_of(runs, logs, [&](const Iteration& run) { return run.problem % 5 == fold; });
    print(("fold " + std::to_string(fold + 1)).c_str(), unseen);
    const double share = unseen.runs / static_cast<double>(runs.size());
    mean.mean_error += share * unseen.mean_error;
    mean.pairs += unseen.pairs / 5;
    mean.mean_regret += unseen.mean_regret / 5;
  }
  print("all five", mean);
  EXPECT_LE(mean.mean_error, 0.084);
  EXPECT_LE(mean.mean_regret, 0.05);
  EXPECT_GE(mean.pairs, 0.90);
}

}  // namespace
}  // namespace berth

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <ctime>

#include "doppler_bench/experiments.hpp"
#include "doppler_bench/spread.hpp"
#include "policy_run.hpp"
#include "progress.hpp"

namespace berth::launcher {
namespace {

/// A training keeps a row of every (op, device) in memory, about 700 bytes each.
constexpr std::size_t kMostTrainedRows = 1'000'000;

struct StepTimes {
  double placing = 0.0;   ///< Seconds of one placement, all preparation included.
  double busy = 0.0;      ///< The same, of processor time.
  double training = 0.0;  ///< Seconds of one episode of training; 0: not measured.
};

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

StepTimes measure(const Bench& bench,
                  const std::shared_ptr<const PlacementProblem>& problem,
                  std::uint64_t seed) {
  const PolicyRequest request = parse_policy(kWeightsAlone);
  const auto policy = bench.trainer->fresh(request, seed);
  StepTimes times;
  const double before = processor_seconds();
  times.placing = run_policy(*problem, *policy, request.text, {1, 0.0}, seed).result.seconds;
  times.busy = processor_seconds() - before;
  if (problem->graph.num_ops() * problem->costs.num_devices <= kMostTrainedRows) {
    const TrainingPlan plan{4, {{Stage::kSimulation, 2}}};
    times.training = bench.trainer->train(*policy, {problem}, plan, seed).seconds / 8.0;
  }
  return times;
}

/// b of time = a * ops^b through the first and last point.
std::string exponent(const std::vector<std::pair<double, double>>& points) {
  if (points.size() < 2 || points.front().second <= 0.0) {
    return "-";
  }
  return fixed(std::log(points.back().second / points.front().second) /
                   std::log(points.back().first / points.front().first),
               2);
}

}  // namespace

Section scaling_experiment(const Bench& bench) {
  const bool quick = bench.settings.quick;
  const std::vector<std::size_t> sizes = quick ? std::vector<std::size_t>{100, 1000}
                                               : std::vector<std::size_t>{100, 1000, 10000, 100000};
  const std::vector<std::size_t> counts =
      quick ? std::vector<std::size_t>{2, 8} : std::vector<std::size_t>{2, 8, 64};
  Section section(bench.form, "scaling: seconds by ops and devices");
  section.note("random layered graphs, delay; wall-clock seconds on " +
               std::to_string(bench.trainer->session().size()) +
               (bench.trainer->session().size() == 1 ? " rank, " : " ranks, ") +
               seeds_text(bench.settings.seeds));
  section.note(
      "placing: one greedy episode from nothing (graph read into features, message passing, "
      "decisions, one simulation); CPU: its processor time, which other work of the host does not "
      "lengthen; training: an episode of an update of four, gradient and step "
      "included; -: more than a million (op, device) rows");
  section.note("exponent: of the ops, between " + std::string(quick ? "100" : "1,000") +
               " of them and the most");
  TextRows table = {{"devices", "ops", "placing, s", "CPU, s", "training, s an episode"}};
  TextRows exponents = {{"devices", "placing", "CPU", "training"}};
  Chart chart{"seconds to place, by ops", "log10 ops", "log10 seconds", {}};
  Progress progress("bench doppler: scaling",
                    sizes.size() * counts.size() * bench.settings.seeds,
                    shown_on(bench));
  // What a process does once, such as loading libraries, is not part of the first row.
  static_cast<void>(measure(bench, layered_problem(sizes.front(), counts.front(), 1), 1));
  for (const std::size_t devices : counts) {
    chart.curves.push_back({std::to_string(devices) + " devices", {}});
    std::vector<std::pair<double, double>> placing_points;
    std::vector<std::pair<double, double>> busy_points;
    std::vector<std::pair<double, double>> training_points;
    for (const std::size_t ops : sizes) {
      const auto problem = layered_problem(ops, devices, 1);
      std::vector<double> placing;
      std::vector<double> busy;
      std::vector<double> training;
      for (std::uint64_t seed = 1; seed <= bench.settings.seeds; ++seed) {
        progress.next(std::to_string(ops) + " ops, " + std::to_string(devices) + " devices");
        const StepTimes times = measure(bench, problem, seed);
        placing.push_back(times.placing);
        busy.push_back(times.busy);
        if (times.training > 0.0) {
          training.push_back(times.training);
        }
        nlohmann::ordered_json line = {{"experiment", "scaling"},
                                       {"ops", ops},
                                       {"devices", devices},
                                       {"seed", seed},
                                       {"placing_seconds", times.placing},
                                       {"placing_cpu_seconds", times.busy}};
        if (times.training > 0.0) {
          line["training_seconds_per_episode"] = times.training;
        }
        section.line(line);
      }
      table.push_back({std::to_string(devices),
                       std::to_string(ops),
                       spread_text(spread_of(placing)),
                       spread_text(spread_of(busy)),
                       spread_text(spread_of(training))});
      const double mean = spread_of(placing).mean;
      chart.curves.back().points.emplace_back(std::log10(static_cast<double>(ops)),
                                              std::log10(mean));
      if (quick || ops >= 1000) {
        placing_points.emplace_back(static_cast<double>(ops), mean);
        busy_points.emplace_back(static_cast<double>(ops), spread_of(busy).mean);
        if (!training.empty()) {
          training_points.emplace_back(static_cast<double>(ops), spread_of(training).mean);
        }
      }
    }
    exponents.push_back({std::to_string(devices),
                         exponent(placing_points),
                         exponent(busy_points),
                         exponent(training_points)});
  }
  section.table("seconds", std::move(table));
  section.table("exponent of the ops (1: linear)", std::move(exponents));
  section.charts.push_back(std::move(chart));
  return section;
}

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "berth/artifact_score.hpp"
#include "berth/error.hpp"
#include "berth/logger.hpp"

#include "bench_nest.hpp"
#include "datasets/models/artifact_file.hpp"
#include "plugin_arguments.hpp"
#include "progress.hpp"
#include "published_nest.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

constexpr std::array kCuts = {"artifact", "even", "best"};
constexpr double kSequences = 4096.0;  // of a batch in all of the artifact's files

struct Scores {
  std::array<double, kCuts.size()> seconds{};  // 0: infeasible or undefined
  std::array<std::string, kCuts.size()> reason;
};

struct FileScores {
  std::string name;
  double optimum = 0.0;
  std::map<std::string, Scores> baselines;
};

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  const auto inputs = std::filesystem::is_directory(folder / "inputs") ? folder / "inputs" : folder;
  if (!std::filesystem::is_directory(inputs)) {
    throw InputError(folder.string() + ": no folder; expected one with the artifact's JSON files");
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(inputs)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    throw InputError(inputs.string() + ": no JSON file; expected the artifact's planner files");
  }
  return files;
}

double optimum_of(PluginHost& host, const StrategyProblem& problem) {
  Config config = host.options(StrategyPlanner::kInterface, "nest");
  config.set("mode", "artifact");
  const StrategyAnswer answer = host.strategy_planner("nest", config, 1)->plan_all(problem, 1);
  return answer.plans.empty()
             ? 0.0
             : score_artifact_plan(problem, answer.plans[0], ArtifactRules{}).seconds_per_batch;
}

Scores scores_of(PluginHost& host,
                 const StrategyProblem& problem,
                 const datasets::ArtifactBaseline& baseline) {
  Scores scores;
  for (std::size_t k = 0; k < kCuts.size(); ++k) {
    Config config = host.options(StrategyPlanner::kInterface, "artifact-fixed");
    config.set("stages", std::to_string(baseline.stages));
    config.set("data", std::to_string(baseline.data));
    config.set("tensor", std::to_string(baseline.tensor));
    config.set("transformer_layers", std::to_string(baseline.transformer_layers));
    std::string layers;
    for (const std::uint32_t count : baseline.layer_partition) {
      layers += (layers.empty() ? "" : ",") + std::to_string(count);
    }
    config.set("layers", layers);
    config.set("cuts", kCuts[k]);
    try {
      const StrategyAnswer answer =
          host.strategy_planner("artifact-fixed", config, 1)->plan_all(problem, 1);
      if (answer.plans.empty()) {
        scores.reason[k] = answer.infeasible.front();
      } else {
        scores.seconds[k] = answer.plans[0].seconds_per_batch;
      }
    } catch (const InputError& error) {
      scores.reason[k] = error.what();
    }
  }
  return scores;
}

FileScores score_file(PluginHost& host, const std::filesystem::path& path) {
  const datasets::ArtifactFile file =
      datasets::read_artifact_file(path, datasets::ArtifactUnits::kMixed);
  FileScores scores;
  scores.name = file.problem.model;
  scores.optimum = optimum_of(host, file.problem);
  for (const datasets::ArtifactBaseline& baseline : file.baselines) {
    scores.baselines[baseline.name] = scores_of(host, file.problem, baseline);
  }
  return scores;
}

// [family_]model_setup_mbsM_nN: the published point of a file of the plain or list-scheduled
// family on the fat tree.
const PublishedPoint* point_of(const std::string& name, const std::string& family) {
  for (const PublishedPoint& point : published_points()) {
    if (point.experiment == "figure5" && name == family + std::string(point.model) +
                                                     "_tpuv4_fatTree_mbs1_n" +
                                                     std::to_string(point.devices)) {
      return &point;
    }
  }
  return nullptr;
}

std::string over(double seconds, double optimum, const std::string& reason) {
  return seconds > 0.0 && optimum > 0.0 ? fixed(seconds / optimum, 3)
         : reason.empty()               ? "-"
                                        : reason.substr(0, reason.find(':'));
}

void print_scores(const std::vector<FileScores>& all) {
  Table table(
      {"file", "baseline", "optimum ms", "as the artifact scores it", "even split", "best cuts"});
  for (const FileScores& file : all) {
    for (const auto& [name, scores] : file.baselines) {
      table.add_row({file.name,
                     name,
                     file.optimum > 0.0 ? significant(file.optimum * 1e3, 6) : "infeasible",
                     over(scores.seconds[0], file.optimum, scores.reason[0]),
                     over(scores.seconds[1], file.optimum, scores.reason[1]),
                     over(scores.seconds[2], file.optimum, scores.reason[2])});
    }
  }
  std::printf("time over the optimum for the same file (exact update, the artifact's units)\n%s\n",
              table.text().c_str());
}

void print_means(const std::vector<FileScores>& all) {
  Table table(
      {"geometric mean over the optimum", "points", "as scored", "even split", "best cuts"});
  for (const char* name : {"Manual", "MCMC", "Phaze"}) {
    std::array<double, kCuts.size()> sum{};
    std::array<int, kCuts.size()> points{};
    for (const FileScores& file : all) {
      const auto found = file.baselines.find(name);
      if (point_of(file.name, "") == nullptr || found == file.baselines.end()) {
        continue;
      }
      for (std::size_t k = 0; k < kCuts.size(); ++k) {
        if (found->second.seconds[k] > 0.0 && file.optimum > 0.0) {
          sum[k] += std::log(found->second.seconds[k] / file.optimum);
          ++points[k];
        }
      }
    }
    std::vector<std::string> row = {name, std::to_string(points[0])};
    for (std::size_t k = 0; k < kCuts.size(); ++k) {
      row.push_back(points[k] == 0 ? "-" : fixed(std::exp(sum[k] / points[k]), 3));
    }
    table.add_row(row);
  }
  std::printf("published points on the fat tree, micro-batch 1\n%s\n", table.text().c_str());
}

void print_throughputs(const std::vector<FileScores>& all) {
  Table table({"list-scheduled file", "throughput", "published", "difference"});
  for (const FileScores& file : all) {
    const PublishedPoint* const point = point_of(file.name, "ilp_");
    if (point != nullptr && file.optimum > 0.0) {
      const double throughput = kSequences / (file.optimum * 1e3) / published_unit(point->model);
      table.add_row({file.name,
                     fixed(throughput, 3),
                     fixed(point->nest, 2),
                     percent(throughput / point->nest - 1.0)});
    }
  }
  std::printf("throughput relative to the published 1.00\n%s", table.text().c_str());
}

void print_lines(const std::vector<FileScores>& all) {
  for (const FileScores& file : all) {
    nlohmann::ordered_json line = {{"file", file.name}};
    if (file.optimum > 0.0) {
      line["optimum_seconds"] = file.optimum;
    }
    for (const auto& [name, scores] : file.baselines) {
      for (std::size_t k = 0; k < kCuts.size(); ++k) {
        nlohmann::ordered_json& slot = line["baselines"][name][kCuts[k]];
        if (scores.seconds[k] > 0.0) {
          slot["seconds"] = scores.seconds[k];
        } else {
          slot["infeasible"] = scores.reason[k];
        }
      }
    }
    std::printf("%s\n", line.dump().c_str());
  }
}

}  // namespace

int run_bench_nest_artifact(const CommandLine& line) {
  for (const char* name : {"planners", "html", "quick"}) {
    if (line.has(name)) {
      throw InputError("berth bench nest: --" + std::string(name) +
                       " beside --artifact; expected --json alone");
    }
  }
  const std::vector<std::filesystem::path> files = files_in(line.text("artifact"));
  StderrLogger logger(LogLevel::kWarning);
  const auto host = make_plugin_host(line.values(), logger);
  Progress progress("bench nest --artifact", files.size());
  std::vector<FileScores> all;
  for (const std::filesystem::path& file : files) {
    progress.next(file.filename().string());
    all.push_back(score_file(*host, file));
  }
  if (line.has("json")) {
    print_lines(all);
    return 0;
  }
  print_scores(all);
  print_means(all);
  print_throughputs(all);
  return 0;
}

}  // namespace berth::launcher

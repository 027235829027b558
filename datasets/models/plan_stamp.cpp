// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_stamp.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <map>

#include "berth/error.hpp"

#include "datasets/source_text.hpp"

namespace berth::datasets {
namespace {

constexpr const char* kWord = "berth-plan";
constexpr std::array<char, kRecomputeChoices> kRecompute = {'n', 's', 'f'};

std::string hex(std::uint64_t value) {
  char buffer[20];
  std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(value));
  return buffer;
}

std::optional<BlockGrid> grid_of(const ParallelPlan& plan) {
  const auto start = [&plan](std::size_t r, std::size_t q) {
    return static_cast<std::int64_t>(plan.stages[q].blocks[r].front());
  };
  const std::size_t depth = plan.depth();
  BlockGrid grid{start(0, 0), 0, 0};
  grid.per_replica = plan.data > 1 ? start(1, 0) - grid.first : 0;
  grid.per_stage = depth > 1 ? start(0, 1) - grid.first : 0;
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    for (std::size_t r = 0; r < plan.data; ++r) {
      const std::int64_t first = grid.first + static_cast<std::int64_t>(r) * grid.per_replica +
                                 static_cast<std::int64_t>(q % depth) * grid.per_stage;
      const std::vector<std::uint32_t>& block = plan.stages[q].blocks[r];
      for (std::size_t k = 0; k < block.size(); ++k) {
        if (block[k] != first + static_cast<std::int64_t>(k)) {
          return std::nullopt;
        }
      }
    }
  }
  return grid;
}

class Words {
 public:
  Words(std::string_view line, std::string place) : place_(std::move(place)) {
    for (const std::string_view word : split(line, " \t\"',")) {
      const std::size_t equals = word.find('=');
      if (equals != std::string_view::npos) {
        words_.emplace(word.substr(0, equals), word.substr(equals + 1));
      }
    }
  }

  [[nodiscard]] const std::string& text(const std::string& key) const {
    const auto at = words_.find(key);
    if (at == words_.end()) {
      throw InputError(place_ + ": no " + key + " in its " + kWord + " line; expected one");
    }
    return at->second;
  }
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t least) const {
    return parsed(key, text(key), least);
  }
  [[nodiscard]] std::int64_t parsed(const std::string& key,
                                    const std::string& word,
                                    std::int64_t least) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < least ||
        value > 1'000'000'000) {
      throw InputError(place_ + ": " + key + "=" + word + " in its " + kWord +
                       " line; expected an integer of at least " + std::to_string(least));
    }
    return value;
  }
  void expect_hash(const std::string& key, std::uint64_t hash, const char* what) const {
    if (text(key) != hex(hash)) {
      throw InputError(place_ + ": " + key + " " + text(key) + "; expected " + hex(hash) +
                       ": the plan is for another " + what + ", plan again");
    }
  }
  [[noreturn]] void fail(const std::string& key, const std::string& expected) const {
    throw InputError(place_ + ": " + key + "=" + text(key) + " in its " + kWord +
                     " line; expected " + expected);
  }

 private:
  std::string place_;
  std::map<std::string, std::string, std::less<>> words_;
};

}  // namespace

std::string plan_stamp(const StrategyProblem& problem, const ParallelPlan& plan) {
  std::string stamp =
      std::string(kWord) + " model_hash=" + hex(model_hash(problem)) +
      " cluster_hash=" + hex(cluster_hash(problem)) + " data=" + std::to_string(plan.data) +
      " zero=" + std::to_string(plan.zero_stage) + " chunks=" + std::to_string(plan.chunks) +
      " sp=" + (plan.sequence_parallel ? "1" : "0") +
      " packing=" + (plan.packing == Packing::kDataInner ? "data-inner" : "pipeline-inner") +
      " recompute=";
  for (const PlanStage& stage : plan.stages) {
    stamp += kRecompute[static_cast<std::size_t>(stage.recompute)];
  }
  if (const auto grid = grid_of(plan)) {
    stamp += " blocks=" + std::to_string(grid->first) + ":" + std::to_string(grid->per_replica) +
             ":" + std::to_string(grid->per_stage);
  }
  return stamp;
}

std::optional<PlanStamp> read_plan_stamp(const std::string& text,
                                         const std::string& place,
                                         const StrategyProblem& problem) {
  const std::size_t at = text.find(std::string(kWord) + " model_hash=");
  if (at == std::string::npos) {
    return std::nullopt;
  }
  const Words words(std::string_view(text).substr(at, text.find('\n', at) - at), place);
  words.expect_hash("cluster_hash", cluster_hash(problem), "cluster");
  words.expect_hash("model_hash", model_hash(problem), "model or training setup");
  PlanStamp stamp;
  stamp.data = static_cast<std::uint32_t>(words.integer("data", 1));
  stamp.zero = static_cast<std::uint32_t>(words.integer("zero", 0));
  stamp.chunks = static_cast<std::uint32_t>(words.integer("chunks", 1));
  stamp.sequence_parallel = words.integer("sp", 0) != 0;
  if (stamp.zero > 3) {
    words.fail("zero", "0 to 3");
  }
  const std::string& packing = words.text("packing");
  if (packing != "data-inner" && packing != "pipeline-inner") {
    words.fail("packing", "pipeline-inner or data-inner");
  }
  stamp.packing = packing == "data-inner" ? Packing::kDataInner : Packing::kPipelineInner;
  for (const char letter : words.text("recompute")) {
    const auto* const known = std::find(kRecompute.begin(), kRecompute.end(), letter);
    if (known == kRecompute.end()) {
      words.fail("recompute", "letters n, s and f");
    }
    stamp.recompute.push_back(static_cast<Recompute>(known - kRecompute.begin()));
  }
  if (text.substr(at, text.find('\n', at) - at).find(" blocks=") != std::string::npos) {
    const std::string numbers = words.text("blocks");
    const auto parts = split(numbers, ":");
    if (parts.size() != 3) {
      words.fail("blocks", "first:per-replica:per-stage");
    }
    constexpr std::int64_t kLeast = -1'000'000'000;
    stamp.grid = BlockGrid{words.parsed("blocks", std::string(parts[0]), 0),
                           words.parsed("blocks", std::string(parts[1]), kLeast),
                           words.parsed("blocks", std::string(parts[2]), kLeast)};
  }
  return stamp;
}

void require_one_configuration(const StrategyProblem& problem,
                               const ParallelPlan& plan,
                               const std::string& format) {
  if (problem.layers.front() != "embedding" || problem.layers.back() != "head") {
    throw InputError(problem.model + ": no transformer; " + format + " need one");
  }
  if (!plan.is_uniform()) {
    throw InputError(problem.model + ": stages of different degrees; " + format +
                     " need the same in all, plan with --pin mixed=false or write --out plan.json");
  }
}

std::vector<std::uint32_t> transformer_layers(const StrategyProblem& problem,
                                              const ParallelPlan& plan) {
  std::vector<std::uint32_t> layers;
  for (const PlanStage& stage : plan.stages) {
    const bool first = stage.first_layer == 0;
    const bool last = stage.first_layer + stage.num_layers == problem.layers.size();
    layers.push_back(stage.num_layers - (first ? 1U : 0U) - (last ? 1U : 0U));
  }
  return layers;
}

}  // namespace berth::datasets

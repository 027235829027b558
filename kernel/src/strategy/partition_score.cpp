// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include "berth/error.hpp"
#include "berth/partition_problem.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

class PartitionWalk {
 public:
  PartitionWalk(const PartitionProblem& problem, const PartitionPlan& plan)
      : problem_(problem), plan_(plan), stage_of_(problem.nodes.size(), kNowhere) {
    for (std::size_t q = 0; q < plan.stages.size(); ++q) {
      check_stage(plan.stages[q]);
      for (const std::uint32_t v : plan.stages[q].nodes) {
        if (v >= stage_of_.size() || stage_of_[v] != kNowhere) {
          refuse("node " + std::to_string(v) + " is unknown or in two stages");
        }
        stage_of_[v] = q;
      }
    }
    std::vector<std::size_t> stage_of_group(problem.nodes.size(), kNowhere);
    for (std::size_t v = 0; v < stage_of_.size(); ++v) {
      if (stage_of_[v] == kNowhere) {
        refuse("node " + problem.nodes[v].name + " is in no stage");
      }
      std::size_t& other = stage_of_group[problem.nodes[v].group];
      if (other != kNowhere && other != stage_of_[v]) {
        refuse("node " + problem.nodes[v].name + " is apart from its group");
      }
      other = stage_of_[v];
    }
  }

  [[nodiscard]] PartitionScore score() const {
    PartitionScore score;
    score.fits = true;
    std::size_t hosts = 0;
    std::size_t downstream = 0;  // replicas of this and all later stages
    score.seconds.resize(plan_.stages.size());
    score.memory_bytes.resize(plan_.stages.size());
    for (std::size_t q = plan_.stages.size(); q-- > 0;) {
      const PartitionStage& stage = plan_.stages[q];
      downstream += stage.data;
      if (stage.on_host) {
        ++hosts;
        for (const std::uint32_t v : stage.nodes) {
          score.seconds[q] += problem_.nodes[v].host_seconds;
        }
      } else {
        score.accelerators_used += std::size_t{stage.data} * problem_.widths[stage.width];
        score.seconds[q] = seconds(q);
        score.memory_bytes[q] = memory(stage, downstream);
        score.fits = score.fits && score.memory_bytes[q] <= problem_.memory_bytes;
      }
      score.slowest_seconds = std::max(score.slowest_seconds, score.seconds[q]);
    }
    score.fits =
        score.fits && hosts <= problem_.hosts && score.accelerators_used <= problem_.accelerators;
    score.contiguous = contiguous();
    return score;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(problem_.model + ": plan: " + what +
                     "; expected every node in exactly one stage that can run it");
  }

  void check_stage(const PartitionStage& stage) const {
    if (stage.nodes.empty() || stage.width >= problem_.widths.size() || stage.data == 0 ||
        problem_.micro_batches % stage.data != 0 || (stage.data > 1 && !problem_.data_parallel) ||
        (stage.on_host && stage.data > 1)) {
      refuse("a stage is empty, or its degrees are none that the problem allows");
    }
    for (std::size_t k = 0; k < stage.nodes.size(); ++k) {
      if (stage.nodes[k] >= problem_.nodes.size()) {
        refuse("node " + std::to_string(stage.nodes[k]) + " is unknown");
      }
      const PartitionNode& node = problem_.nodes[stage.nodes[k]];
      const bool runs = stage.on_host ? std::isfinite(node.host_seconds)
                                      : stage.choices.size() == stage.nodes.size() &&
                                            stage.choices[k] < node.variants[stage.width].size();
      if (!runs) {
        refuse("node " + node.name + " cannot run where its stage is");
      }
    }
  }

  [[nodiscard]] const PartitionVariant& variant(const PartitionStage& stage, std::size_t k) const {
    return problem_.nodes[stage.nodes[k]].variants[stage.width][stage.choices[k]];
  }

  [[nodiscard]] bool crosses(const PartitionTransfer& transfer, std::size_t q) const {
    const bool sends = stage_of_[transfer.from] == q;
    return std::any_of(transfer.to.begin(), transfer.to.end(), [&](std::uint32_t to) {
      return sends != (stage_of_[to] == q);
    });
  }

  [[nodiscard]] double seconds(std::size_t q) const {
    const PartitionStage& stage = plan_.stages[q];
    double busy = 0.0;
    double parameters = 0.0;
    for (const PartitionTransfer& transfer : problem_.transfers) {
      busy += crosses(transfer, q) ? transfer.seconds : 0.0;
    }
    for (std::size_t k = 0; k < stage.nodes.size(); ++k) {
      const PartitionVariant& here = variant(stage, k);
      busy += here.seconds;
      parameters += here.parameter_bytes;
      for (const auto& [transfer, extra] : here.at_border) {
        busy += crosses(problem_.transfers[transfer], q) ? extra : 0.0;
      }
    }
    const double d = stage.data;
    return busy / d + 4.0 * (d - 1.0) * parameters * problem_.gradient_seconds_per_byte /
                          (d * problem_.micro_batches);
  }

  [[nodiscard]] double memory(const PartitionStage& stage, std::size_t downstream) const {
    const auto in_flight = static_cast<double>((downstream + stage.data - 1) / stage.data);
    double bytes = 0.0;
    for (std::size_t k = 0; k < stage.nodes.size(); ++k) {
      const PartitionVariant& here = variant(stage, k);
      bytes += here.stash_bytes * in_flight + here.fixed_bytes;
    }
    return bytes;
  }

  [[nodiscard]] bool contiguous() const {
    for (const PartitionTransfer& transfer : problem_.transfers) {
      for (const std::uint32_t to : transfer.to) {
        if (!problem_.nodes[transfer.from].backward && !problem_.nodes[to].backward &&
            stage_of_[transfer.from] > stage_of_[to]) {
          return false;
        }
      }
    }
    return true;
  }

  const PartitionProblem& problem_;
  const PartitionPlan& plan_;
  std::vector<std::size_t> stage_of_;
};

}  // namespace

PartitionScore score_partition(const PartitionProblem& problem, const PartitionPlan& plan) {
  return PartitionWalk(problem, plan).score();
}

}  // namespace abi_v1
}  // namespace berth

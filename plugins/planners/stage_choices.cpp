// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stage_choices.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "berth/error.hpp"

namespace berth::planners {
namespace {

constexpr std::size_t kMostLabels = 100'000;

struct Step {
  StageLabel label;
  std::uint32_t before = 0;  // label of the nodes before
  std::uint32_t choice = 0;
};

auto bytes_of(const StageLabel& label) {
  return std::tie(label.stash, label.fixed, label.parameters);
}

bool dominates(const StageLabel& a, const StageLabel& b) {
  return a.busy <= b.busy && a.parameters <= b.parameters && a.stash <= b.stash &&
         a.fixed <= b.fixed;
}

class Ladder {
 public:
  Ladder(const PartitionProblem& problem,
         const StageBorder& border,
         const std::vector<std::uint32_t>& nodes,
         std::uint32_t width) {
    steps_.push_back({Step{}});
    steps_[0][0].label.busy = border.crossing_seconds();
    for (const std::uint32_t v : nodes) {
      add(problem.nodes[v].variants[width], border);
      if (steps_.back().empty()) {
        return;
      }
      if (steps_.back().size() > kMostLabels) {
        throw InputError(problem.model + ": more than " + std::to_string(kMostLabels) +
                         " choices of variants for one stage; expected layers that are more alike");
      }
    }
    keep_undominated();
  }

  [[nodiscard]] const std::vector<Step>& last() const { return steps_.back(); }

  [[nodiscard]] std::vector<std::uint32_t> choices(std::size_t index) const {
    std::vector<std::uint32_t> result(steps_.size() - 1);
    for (std::size_t k = steps_.size() - 1; k > 0; --k) {
      const Step& step = steps_[k][index];
      result[k - 1] = step.choice;
      index = step.before;
    }
    return result;
  }

 private:
  void add(const std::vector<PartitionVariant>& variants, const StageBorder& border) {
    std::vector<Step> next;
    for (std::uint32_t before = 0; before < steps_.back().size(); ++before) {
      for (std::uint32_t choice = 0; choice < variants.size(); ++choice) {
        const PartitionVariant& variant = variants[choice];
        Step step{steps_.back()[before].label, before, choice};
        step.label.busy += variant.seconds;
        for (const auto& [transfer, seconds] : variant.at_border) {
          step.label.busy += border.crosses(transfer) ? seconds : 0.0;
        }
        step.label.parameters += variant.parameter_bytes;
        step.label.stash += variant.stash_bytes;
        step.label.fixed += variant.fixed_bytes;
        next.push_back(step);
      }
    }
    if (variants.size() > 1) {
      std::sort(next.begin(), next.end(), [](const Step& a, const Step& b) {
        return std::tuple_cat(bytes_of(a.label), std::tie(a.label.busy, a.before, a.choice)) <
               std::tuple_cat(bytes_of(b.label), std::tie(b.label.busy, b.before, b.choice));
      });
      const auto end = std::unique(next.begin(), next.end(), [](const Step& a, const Step& b) {
        return bytes_of(a.label) == bytes_of(b.label);
      });
      next.erase(end, next.end());
    }
    steps_.push_back(std::move(next));
  }

  void keep_undominated() {
    std::vector<Step> kept;
    for (const Step& step : steps_.back()) {
      const auto covered = [&step](const Step& other) {
        return dominates(other.label, step.label);
      };
      if (std::none_of(kept.begin(), kept.end(), covered)) {
        std::erase_if(kept, [&](const Step& other) { return dominates(step.label, other.label); });
        kept.push_back(step);
      }
    }
    steps_.back() = std::move(kept);
  }

  std::vector<std::vector<Step>> steps_;  // [nodes + 1][labels]
};

}  // namespace

std::vector<StageLabel> stage_labels(const PartitionProblem& problem,
                                     const StageBorder& border,
                                     const std::vector<std::uint32_t>& nodes,
                                     std::uint32_t width) {
  std::vector<StageLabel> labels;
  const Ladder ladder(problem, border, nodes, width);
  for (const Step& step : ladder.last()) {
    labels.push_back(step.label);
  }
  return labels;
}

std::vector<std::uint32_t> stage_choices(const PartitionProblem& problem,
                                         const StageBorder& border,
                                         const std::vector<std::uint32_t>& nodes,
                                         std::uint32_t width,
                                         std::size_t index) {
  return Ladder(problem, border, nodes, width).choices(index);
}

}  // namespace berth::planners

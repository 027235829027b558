// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "berth/error.hpp"

#include "artifact_search.hpp"

namespace berth::nest {
namespace {

constexpr std::size_t kLevels = 3;
constexpr double kUnreached = 1e30;
constexpr double kSame = 1e-12;  // the artifact compares milliseconds with 1e-9

// Value and stored placement of "suffix from layer i, at most k devices, exactly s stages". Devices
// are handed out from 0 up, last stage first; the placement is a chain of cells.
struct Cell {
  std::array<double, kLevels> value{kUnreached, kUnreached, kUnreached};
  std::uint32_t used = 0;        // devices of the placement
  std::uint32_t last_begin = 0;  // first device of the block placed last
  std::uint32_t next = 0;        // first layer of the following stage
  std::uint32_t rest_k = 0;      // k of the rest of the placement
};

class RuleSearch {
 public:
  RuleSearch(const StrategyProblem& problem,
             const StrategyConfiguration& configuration,
             const ArtifactStages& stages,
             bool zero)
      : problem_(problem),
        stages_(stages),
        n_(stages.num_layers()),
        devices_(problem.network.num_devices()),
        block_(configuration.block()),
        batch_(configuration.micro_batches),
        // With blocks of one size the value of a cell is the same for every k that suffices.
        per_k_(zero),
        most_stages_(std::min(devices_, n_)),
        cells_((n_ + 1) * (per_k_ ? devices_ + 1 : 1) * (most_stages_ + 1)) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i + 1; j <= n_; ++j) {
        variants_.push_back(stage_variants(problem, configuration, stages, i, j, zero));
      }
    }
  }

  std::optional<ChainPlan> run() {
    for (std::size_t k = 0; k <= devices_; ++k) {
      cell(n_, k, 0).value.fill(0.0);
    }
    for (std::size_t i = n_; i-- > 1;) {
      for (std::size_t j = i + 1; j <= n_; ++j) {
        for (const StageVariant& variant : variants(i, j)) {
          for (std::size_t s = 1; s <= std::min(variant.deepest, most_stages_); ++s) {
            extend(i, j, variant, s);
          }
        }
      }
    }
    if (!last_round()) {
      return std::nullopt;
    }
    return evaluate(rebuild());
  }

 private:
  Cell& cell(std::size_t i, std::size_t k, std::size_t s) {
    const std::size_t row = per_k_ ? i * (devices_ + 1) + k : i;
    return cells_[row * (most_stages_ + 1) + s];
  }
  [[nodiscard]] const std::vector<StageVariant>& variants(std::size_t i, std::size_t j) const {
    return variants_[i * n_ - i * (i - 1) / 2 + (j - i - 1)];
  }

  void extend(std::size_t i, std::size_t j, const StageVariant& variant, std::size_t s) {
    const std::size_t first_k = per_k_ ? variant.devices : devices_;
    for (std::size_t k = first_k; k <= devices_; ++k) {
      const Cell& rest = cell(j, k - variant.devices, s - 1);
      const bool too_few = !per_k_ && s * block_ > devices_;
      if (too_few || rest.value[0] >= kUnreached || (j == n_) != (s == 1)) {
        continue;
      }
      const std::size_t out =
          j == n_ ? 0 : problem_.network.level_between(rest.used, rest.last_begin);
      Cell& target = cell(i, k, s);
      std::array<double, kLevels> fresh{};
      double gain = 0.0;
      for (std::size_t l = 0; l < kLevels; ++l) {
        fresh[l] = std::max(rest.value[out], stages_.load(i, j, l, out, s) + variant.extra_seconds);
        gain += target.value[l] - fresh[l];
      }
      const double worst = std::max(
          rest.value[2], stages_.load(i, j, kLevels - 1, kLevels - 1, s) + variant.extra_seconds);
      if (!(target.value[0] > worst) && !(gain > 0.0)) {
        continue;
      }
      for (std::size_t l = 0; l < kLevels; ++l) {
        target.value[l] = std::min(target.value[l], fresh[l]);
      }
      target.last_begin = rest.used;
      target.used = rest.used + static_cast<std::uint32_t>(variant.devices);
      target.next = static_cast<std::uint32_t>(j);
      target.rest_k = static_cast<std::uint32_t>(k - variant.devices);
    }
  }

  bool last_round() {
    double least = kUnreached;
    for (std::size_t d = 1; d <= std::min(devices_, batch_); ++d) {
      const std::size_t k = devices_ / d;
      const std::size_t b = (batch_ + d - 1) / d;
      for (std::size_t j = 1; j <= n_; ++j) {
        for (const StageVariant& variant : variants(0, j)) {
          for (std::size_t s = 1; s <= std::min(variant.deepest, most_stages_); ++s) {
            if (variant.devices > k || (!per_k_ && s * block_ > k) || (j == n_) != (s == 1)) {
              continue;
            }
            const double rest = cell(j, k - variant.devices, s - 1).value[0];
            if (rest >= kUnreached) {
              continue;
            }
            const double slowest =
                std::max(rest, stages_.load(0, j, 0, 0, s) + variant.extra_seconds);
            const double busy = slowest * static_cast<double>(b + s - 1);
            if (busy >= least) {
              continue;
            }
            const double total =
                busy + stages_.all_reduce(problem_.network, variant.reduced_bytes, d, k);
            if (total < least) {
              least = total;
              best_ = {d, k, b, j, s, variant, slowest};
            }
          }
        }
      }
    }
    return least < kUnreached;
  }

  // First device of every layer in the stored placement of the best plan.
  std::vector<std::size_t> placement() {
    std::vector<std::size_t> device(n_, 0);
    std::size_t k = best_.k - best_.variant.devices;
    std::size_t i = best_.next;
    std::size_t begin = i == n_ ? 0 : cell(i, k, best_.stages - 1).used;
    std::fill(device.begin(), device.begin() + static_cast<std::ptrdiff_t>(i), begin);
    for (std::size_t s = best_.stages - 1; s > 0; --s) {
      const Cell at = cell(i, k, s);
      for (std::size_t v = i; v < at.next; ++v) {
        device[v] = at.last_begin;
      }
      i = at.next;
      k = at.rest_k;
    }
    return device;
  }

  struct Built {
    std::vector<ChainStage> stages;
    double reduced_bytes = 0.0;
  };

  // The artifact does not read the stages off the placement but looks for the first ones whose
  // value fits, so on ties its stage list may differ from its placement (spec 3.8).
  Built rebuild() {
    const std::vector<std::size_t> device = placement();
    const auto level_at = [&](std::size_t cut) {
      const std::size_t v = std::clamp<std::size_t>(cut, 1, n_ - 1);
      return n_ < 2 ? 0 : problem_.network.level_between(device[v - 1], device[v]);
    };
    Built built;
    std::size_t i = 0;
    std::size_t k = best_.k;
    double target = best_.slowest;
    for (std::size_t s = best_.stages; s > 0; --s) {
      const std::size_t in = i == 0 ? 0 : level_at(i);
      bool found = false;
      for (std::size_t j = i + 1; j <= n_ && !found; ++j) {
        const std::size_t out = i == 0 || j == n_ ? 0 : level_at(j);
        for (const StageVariant& variant : variants(i, j)) {
          if (s > variant.deepest || variant.devices > k || (j == n_) != (s == 1)) {
            continue;
          }
          const Cell& rest = cell(j, k - variant.devices, s - 1);
          const double value =
              std::max(rest.value[out], stages_.load(i, j, in, out, s) + variant.extra_seconds);
          if (!(std::abs(value - target) < kSame)) {
            continue;
          }
          const std::size_t real_out = j == n_ ? 0 : level_at(j);
          built.stages.push_back(
              {i,
               j,
               variant.devices,
               stages_.load(i, j, level_at(i), real_out, s) + variant.extra_seconds,
               variant.fixed_bytes});
          built.reduced_bytes = i == 0 ? variant.reduced_bytes : built.reduced_bytes;
          target = rest.value[i == 0 ? (j == n_ ? 0 : level_at(j)) : out];
          k -= variant.devices;
          i = j;
          found = true;
          break;
        }
      }
      if (!found) {
        throw SolverError(problem_.model +
                          ": the artifact's recurrence lost its own plan; use update=exact");
      }
    }
    return built;
  }

  [[nodiscard]] ChainPlan evaluate(Built built) const {
    double slowest = 0.0;
    std::size_t stride = 0;
    for (const ChainStage& stage : built.stages) {
      slowest = std::max(slowest, stage.load_seconds);
      stride += stage.devices;
    }
    const double sync =
        stages_.all_reduce(problem_.network, built.reduced_bytes, best_.data, stride);
    const double waves = static_cast<double>(best_.batch + best_.stages - 1);
    return {std::move(built.stages), best_.data, best_.batch, sync, slowest * waves + sync};
  }

  const StrategyProblem& problem_;
  const ArtifactStages& stages_;
  std::size_t n_;
  std::size_t devices_;
  std::size_t block_;
  std::size_t batch_;
  bool per_k_;
  std::size_t most_stages_;
  std::vector<Cell> cells_;                          // [first layer][k][s]
  std::vector<std::vector<StageVariant>> variants_;  // [first layer, end), row by row
  struct {
    std::size_t data = 1;
    std::size_t k = 0;
    std::size_t batch = 1;
    std::size_t next = 0;
    std::size_t stages = 1;
    StageVariant variant;
    double slowest = 0.0;
  } best_;
};

}  // namespace

std::optional<ChainPlan> search_artifact_rule(const StrategyProblem& problem,
                                              const StrategyConfiguration& configuration,
                                              const ArtifactStages& stages,
                                              bool zero) {
  if (problem.network.num_levels() != kLevels) {
    throw InputError(problem.model + ": " + std::to_string(problem.network.num_levels()) +
                     " network levels; update=artifact takes exactly 3; use update=exact");
  }
  return RuleSearch(problem, configuration, stages, zero).run();
}

}  // namespace berth::nest

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "enumopt.hpp"

#include <algorithm>
#include <utility>

#include "meta_ops.hpp"
#include "search_limit.hpp"
#include "settle.hpp"

namespace berth::baselines {
namespace {

enum class Variant : std::uint8_t { kPermutations, kRanges, kGreedy };

/// Exchanges devices `a` and `b` among the blocks of a meta-op. @return whether that moves any.
bool exchange(const MetaOp& group, DeviceId a, DeviceId b, std::vector<DeviceId>& device) {
  bool moved = false;
  for (const OpId op : group) {
    DeviceId& here = device[index(op)];
    if (here == a || here == b) {
      here = here == a ? b : a;
      moved = true;
    }
  }
  return moved;
}

class EnumOptPolicy final : public PlacementPolicy {
 public:
  explicit EnumOptPolicy(const Config& config)
      : variant_(config.text("variant") == "permutations" ? Variant::kPermutations
                 : config.text("variant") == "ranges"     ? Variant::kRanges
                                                          : Variant::kGreedy),
        transfer_weight_(config.real("transfer_weight")),
        sweeps_(config.integer("sweeps")) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& /*rng*/) override {
    Placement placement = or_packed(problem, [&]() -> Placement {
      return {construct(problem), topological_order_values(problem.graph)};
    });
    return sweeps_ == 0 ? settle(evaluator, std::move(placement))
                        : sweep(problem, evaluator, std::move(placement));
  }

 private:
  [[nodiscard]] std::vector<DeviceId> construct(const PlacementProblem& problem) const {
    if (variant_ == Variant::kPermutations) {
      return place_by_permutations(problem);
    }
    return place_by_sites(problem,
                          variant_ == Variant::kRanges ? SiteScope::kMetaOp : SiteScope::kGlobal,
                          transfer_weight_);
  }

  [[nodiscard]] Placement sweep(const PlacementProblem& problem,
                                Evaluator& evaluator,
                                Placement start) const {
    const std::vector<double> order = start.order;
    std::vector<DeviceId> device = start.device;
    Scored best = score(evaluator, std::move(start));
    const std::vector<MetaOp> groups = meta_ops(problem.graph);
    const std::size_t devices = problem.costs.num_devices;
    SearchLimit limit(evaluator, 0);
    bool improved = true;
    for (std::int64_t sweep = 0; sweep < sweeps_ && improved; ++sweep) {
      improved = false;
      for (const MetaOp& group : groups) {
        for (std::size_t a = 0; a < devices; ++a) {
          for (std::size_t b = a + 1; b < devices; ++b) {
            if (limit.reached()) {
              return best.placement;
            }
            if (!exchange(group, to_id<DeviceId>(a), to_id<DeviceId>(b), device)) {
              continue;
            }
            Scored trial = score(evaluator, {device, order});
            if (trial.makespan < best.makespan) {
              best = std::move(trial);
              improved = true;
            } else {
              exchange(group, to_id<DeviceId>(a), to_id<DeviceId>(b), device);
            }
          }
        }
      }
    }
    return best.placement;
  }

  Variant variant_;
  double transfer_weight_;
  std::int64_t sweeps_;
};

}  // namespace

std::unique_ptr<PlacementPolicy> make_enumopt(const HostServices& host) {
  return std::make_unique<EnumOptPolicy>(*host.config);
}

}  // namespace berth::baselines

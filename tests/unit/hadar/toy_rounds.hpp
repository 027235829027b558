// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/rng.hpp"

#include "allocation.hpp"
#include "cluster_file.hpp"
#include "job_views.hpp"

namespace berth::hadar {

/// A small random round: jobs of gangs 1, 2 and 4 with random rates, some 0.
struct ToyRound {
  ToyRound(std::uint64_t seed,
           const std::string& cluster_line,
           std::size_t num_jobs,
           std::uint32_t largest_gang = 4)
      : cluster(datasets::make_cluster(cluster_line)) {
    Rng rng(seed);
    const std::size_t types = cluster.num_types();
    specs.resize(num_jobs);
    for (JobSpec& spec : specs) {
      spec.name = "toy";
      spec.gang = 1U << rng.below(largest_gang == 1 ? 1 : largest_gang == 2 ? 2 : 3);
      spec.total_steps = 100.0 + 1000.0 * rng.uniform();
      for (std::size_t t = 0; t < types; ++t) {
        spec.rates.push_back(t > 0 && rng.uniform() < 0.2 ? 0.0 : 0.5 + rng.uniform());
      }
      spec.spread_rates = spec.rates;
    }
    for (std::size_t id = 0; id < num_jobs; ++id) {
      JobState state;
      state.id = to_id<JobId>(id);
      state.spec = &specs[id];
      state.remaining_steps = specs[id].total_steps * (0.1 + 0.9 * rng.uniform());
      states.push_back(state);
    }
    gangs = {MixRule::kMin,
             /*measured_spread=*/false,
             /*restart_seconds=*/10.0};
  }

  [[nodiscard]] RoundContext context() const {
    return {cluster, states, {}, {}, 0, 0, 1000.0, 360.0, gangs};
  }

  Cluster cluster;
  std::vector<JobSpec> specs;
  std::vector<JobState> states;
  GangModel gangs;
};

}  // namespace berth::hadar

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>

#include "allocation.hpp"

namespace berth::hadar {
namespace {

// Spread candidates fill the types of a prefix in one of two orders.
enum class FillOrder { kFastFirst, kSlowFirst };

/// counts of `gang` accelerators over order[0..last], or false if they are not
/// free.
bool fill_prefix(const GpuLedger& ledger,
                 std::span<const std::size_t> prefix,
                 std::uint32_t gang,
                 FillOrder fill,
                 std::span<std::uint32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0U);
  for (std::size_t i = 0; i < prefix.size() && gang > 0; ++i) {
    const std::size_t type =
        fill == FillOrder::kFastFirst ? prefix[i] : prefix[prefix.size() - 1 - i];
    counts[type] = std::min(gang, ledger.free(to_id<GpuTypeId>(type)));
    gang -= counts[type];
  }
  return gang == 0;
}

class Finder {
 public:
  Finder(const RoundProblem& problem, std::size_t row, GpuLedger& ledger, PriceBook& prices)
      : problem_(problem), job_(problem.jobs[row]), ledger_(ledger), prices_(prices) {
    best_.row = row;
  }

  Decision find() {
    if (job_.state->ran_last_round && ledger_.all_free(job_.state->gpus)) {
      consider(job_.state->gpus);
    }
    std::vector<std::size_t> order;
    for (std::size_t t = 0; t < job_.rates.size(); ++t) {
      if (job_.state->spec->rates[t] > 0.0 || job_.state->spec->spread_rates[t] > 0.0) {
        order.push_back(t);
      }
    }
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return job_.state->spec->rates[a] > job_.state->spec->rates[b];
    });
    counts_.assign(job_.rates.size(), 0);
    const std::uint32_t gang = job_.state->spec->gang;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::span<const std::size_t> prefix(order.data(), k + 1);
      if (ledger_.free(to_id<GpuTypeId>(order[k])) >= gang) {
        try_type(order[k]);
      }
      if (problem_.context.gangs.mix == MixRule::kOff || gang == 1 || k == 0) {
        continue;
      }
      for (const FillOrder fill : {FillOrder::kFastFirst, FillOrder::kSlowFirst}) {
        if (fill_prefix(ledger_, prefix, gang, fill, counts_) && counts_[order[k]] < gang) {
          try_counts();
        }
      }
    }
    if (!(best_.payoff() > 0.0)) {
      best_.gpus.clear();
    }
    return std::move(best_);
  }

 private:
  /// Every machine that holds the gang, one of each kind; the fullest first,
  /// which wins ties. Spread only where none does.
  void try_type(std::size_t type) {
    const std::uint32_t gang = job_.state->spec->gang;
    const Cluster& cluster = problem_.context.cluster;
    std::vector<std::pair<std::uint32_t, std::size_t>> machines;  // free, pool
    for (std::size_t p = 0; p < cluster.pools().size(); ++p) {
      if (index(cluster.pools()[p].type) == type && ledger_.free_in_pool(p) >= gang) {
        machines.emplace_back(ledger_.free_in_pool(p), p);
      }
    }
    if (machines.empty()) {
      std::fill(counts_.begin(), counts_.end(), 0U);
      counts_[type] = gang;
      try_counts();
      return;
    }
    std::sort(machines.begin(), machines.end());
    std::pair<std::uint32_t, std::uint32_t> seen{0, 0};  // free, size
    for (const auto& [free, p] : machines) {
      const GpuPool& pool = cluster.pools()[p];
      if (std::pair(free, pool.count) == seen) {
        continue;
      }
      seen = {free, pool.count};
      std::vector<GpuId> gpus;
      for (std::uint32_t i = pool.first; gpus.size() < gang; ++i) {
        if (ledger_.is_free(to_id<GpuId>(i))) {
          gpus.push_back(to_id<GpuId>(i));
        }
      }
      consider(gpus);
    }
  }

  void try_counts() {
    const std::vector<GpuId> gpus = ledger_.take(counts_);
    ledger_.give_back(gpus);
    if (!gpus.empty()) {
      consider(gpus);
    }
  }

  void consider(const std::vector<GpuId>& gpus) {
    const double utility = utility_on(problem_, job_, gpus);
    if (!(utility > 0.0)) {
      return;
    }
    const double charge = prices_.charge(gpus);
    if (!considered_ || utility - charge > best_.payoff()) {
      considered_ = true;
      best_.utility = utility;
      best_.charge = charge;
      best_.gpus = gpus;
    }
  }

  const RoundProblem& problem_;
  const JobView& job_;
  GpuLedger& ledger_;
  PriceBook& prices_;
  Decision best_;
  bool considered_ = false;
  std::vector<std::uint32_t> counts_;
};

std::uint32_t free_gpus(const Cluster& cluster, const GpuLedger& ledger) {
  std::uint32_t sum = 0;
  for (std::size_t t = 0; t < cluster.num_types(); ++t) {
    sum += ledger.free(to_id<GpuTypeId>(t));
  }
  return sum;
}

// The best a job can hope for, to skip jobs that no price would let in.
double best_hope(const RoundProblem& problem, const JobView& job) {
  std::vector<std::uint32_t> counts(job.rates.size(), 0);
  double best = 0.0;
  for (std::size_t t = 0; t < job.rates.size(); ++t) {
    const double rate = best_rate(
        problem.context.cluster, *job.state->spec, to_id<GpuTypeId>(t), problem.context.gangs);
    if (rate > 0.0) {
      counts[t] = job.state->spec->gang;
      best = std::max(best, problem.utility.of_running(job, rate, 0.0, counts));
      counts[t] = 0;
    }
  }
  return best * (1.0 + problem.options.stickiness);
}

}  // namespace

double overhead_on(const RoundContext& context, const JobState& job, std::span<const GpuId> gpus) {
  const bool stays =
      job.ran_last_round && std::equal(gpus.begin(), gpus.end(), job.gpus.begin(), job.gpus.end());
  return stays || job.first_start_seconds < 0.0 ? 0.0 : context.gangs.restart_seconds;
}

double utility_on(const RoundProblem& problem, const JobView& job, std::span<const GpuId> gpus) {
  std::vector<std::uint32_t> counts(job.rates.size());
  count_types(problem.context.cluster, gpus, counts);
  const double rate = gang_rate(*job.state->spec,
                                counts,
                                on_one_machine(problem.context.cluster, gpus),
                                problem.context.gangs);
  if (!(rate > 0.0)) {
    return 0.0;
  }
  const double overhead = overhead_on(problem.context, *job.state, gpus);
  const bool stays = job.state->ran_last_round && overhead == 0.0 &&
                     std::equal(gpus.begin(), gpus.end(), job.state->gpus.begin());
  return problem.utility.of_running(job, rate, overhead, counts) *
         (stays ? 1.0 + problem.options.stickiness : 1.0);
}

Decision find_allocation(const RoundProblem& problem,
                         std::size_t row,
                         GpuLedger& ledger,
                         PriceBook& prices) {
  return Finder(problem, row, ledger, prices).find();
}

std::vector<std::size_t> rows_by_density(const RoundProblem& problem) {
  std::vector<std::pair<double, std::size_t>> keyed;
  keyed.reserve(problem.jobs.size());
  for (std::size_t row = 0; row < problem.jobs.size(); ++row) {
    const JobView& job = problem.jobs[row];
    const double boost = job.state->ran_last_round ? 1.0 + problem.options.stickiness : 1.0;
    keyed.emplace_back(
        -boost * problem.utility.of_running(job, job.best_rate, 0.0, {}) / job.state->spec->gang,
        row);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::size_t> rows;
  rows.reserve(keyed.size());
  for (const auto& entry : keyed) {
    rows.push_back(entry.second);
  }
  return rows;
}

std::vector<Decision> allocate_greedily(const RoundProblem& problem,
                                        GpuLedger& ledger,
                                        PriceBook& prices) {
  const Cluster& cluster = problem.context.cluster;
  std::vector<Decision> decisions;
  for (const std::size_t row : rows_by_density(problem)) {
    const JobView& job = problem.jobs[row];
    const std::uint32_t free = free_gpus(cluster, ledger);
    if (free == 0) {
      break;
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < cluster.num_types(); ++t) {
      least = std::min(least, prices.least_price(to_id<GpuTypeId>(t)));
    }
    const std::uint32_t gang = job.state->spec->gang;
    if (gang > free || best_hope(problem, job) <= gang * least) {
      continue;
    }
    Decision decision = find_allocation(problem, row, ledger, prices);
    if (!decision.gpus.empty()) {
      ledger.take(decision.gpus);
      decision.dual_growth = prices.give_out(decision.gpus);
      decisions.push_back(std::move(decision));
    }
  }
  if (problem.options.fill) {
    fill_idle(problem, ledger, decisions);
  }
  return decisions;
}

void fill_idle(const RoundProblem& problem, GpuLedger& ledger, std::vector<Decision>& decisions) {
  std::vector<std::uint8_t> started(problem.jobs.size(), 0);
  for (const Decision& decision : decisions) {
    started[decision.row] = 1;
  }
  PriceOptions free_of_charge;
  free_of_charge.enabled = false;
  PriceBook nothing(problem.context.cluster, {}, free_of_charge);
  for (const std::size_t row : rows_by_density(problem)) {
    const std::uint32_t free = free_gpus(problem.context.cluster, ledger);
    if (free == 0) {
      return;
    }
    if (started[row] != 0 || problem.jobs[row].state->spec->gang > free) {
      continue;
    }
    Decision decision = find_allocation(problem, row, ledger, nothing);
    if (!decision.gpus.empty()) {
      decision.by_filling = true;
      ledger.take(decision.gpus);
      decisions.push_back(std::move(decision));
    }
  }
}

}  // namespace berth::hadar

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "pollux_scheduler.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "berth/gpu_ledger.hpp"

namespace berth::schedulers {
namespace {

using Pool = std::uint32_t;
/// Accelerators by pool, pools ascending; empty: the job waits.
using Gene = std::vector<std::pair<Pool, std::uint32_t>>;

struct Individual {
  std::vector<Gene> genes;  // [jobs]
  double fitness = 0.0;
};

class PolluxSearch {
 public:
  PolluxSearch(const RoundContext& context, const PolluxOptions& options, std::uint64_t seed)
      : context_(context), options_(options), rng_(seed, {context.round, 0x706f6c6c}) {
    const Cluster& cluster = context.cluster;
    pools_of_type_.resize(cluster.num_types());
    for (std::size_t p = 0; p < cluster.pools().size(); ++p) {
      pools_of_type_[index(cluster.pools()[p].type)].push_back(static_cast<Pool>(p));
    }
    for (const JobState& job : context.jobs) {
      present_.push_back(gene_of(job));
      double inside = 0.0;
      double across = 0.0;
      for (std::size_t t = 0; t < cluster.num_types(); ++t) {
        inside += job.spec->rates[t];
        across += context.gangs.measured_spread ? job.spec->spread_rates[t] : job.spec->rates[t];
      }
      const double rate = inside > 0.0 ? inside : across;
      spread_speedup_.push_back(std::min(1.0, across / rate));
    }
  }

  Individual best() {
    std::vector<Individual> population(options_.population);
    population[0].genes = present_;
    repair(population[0]);
    fill(population[0]);
    score(population[0]);
    for (std::size_t i = 1; i < population.size(); ++i) {
      population[i].genes = population[0].genes;
      mutate(population[i]);
    }
    for (std::size_t generation = 0; generation < options_.generations; ++generation) {
      const std::size_t parents = population.size();
      for (std::size_t i = 0; i < parents; ++i) {
        const Individual& mother = tournament(population, parents);
        const Individual& father = tournament(population, parents);
        Individual child = cross(mother, father);
        mutate(child);
        population.push_back(std::move(child));
      }
      std::stable_sort(population.begin(), population.end(), [](const auto& a, const auto& b) {
        return a.fitness > b.fitness;
      });
      population.resize(parents);
    }
    return population.front();
  }

 private:
  [[nodiscard]] Gene gene_of(const JobState& job) const {
    Gene gene;
    for (const GpuId gpu : job.ran_last_round ? job.gpus : std::vector<GpuId>{}) {
      const auto pool = static_cast<Pool>(context_.cluster.pool_of(gpu));
      if (gene.empty() || gene.back().first != pool) {
        gene.emplace_back(pool, 0);
      }
      ++gene.back().second;
    }
    return gene;
  }

  /// Whether a gang runs there at all; its memory is all that Pollux sees of a type.
  [[nodiscard]] bool can_run(std::size_t row, std::size_t type, bool split) const {
    const JobSpec& job = *context_.jobs[row].spec;
    return (split && context_.gangs.measured_spread ? job.spread_rates : job.rates)[type] > 0.0;
  }

  void score(Individual& one) const {
    one.fitness = 0.0;
    const auto gpus = static_cast<double>(context_.cluster.num_gpus());
    for (std::size_t row = 0; row < one.genes.size(); ++row) {
      const Gene& gene = one.genes[row];
      if (!gene.empty()) {
        const double speedup = gene.size() > 1 ? spread_speedup_[row] : 1.0;
        const bool changes = !present_[row].empty() && present_[row] != gene;
        one.fitness += speedup * context_.jobs[row].spec->gang / gpus *
                       (changes ? options_.change_factor : 1.0);
      }
    }
  }

  /// What an individual leaves free, and which pools host a job that spans several.
  struct Room {
    std::vector<std::uint32_t> free;     // [pools]
    std::vector<std::uint8_t> has_span;  // [pools]
  };

  [[nodiscard]] Room empty_room() const {
    Room room;
    for (const GpuPool& pool : context_.cluster.pools()) {
      room.free.push_back(pool.count);
    }
    room.has_span.assign(room.free.size(), 0);
    return room;
  }

  static bool fits(const Room& room, const Gene& gene) {
    return std::all_of(gene.begin(), gene.end(), [&](const auto& part) {
      return room.free[part.first] >= part.second &&
             (gene.size() == 1 || room.has_span[part.first] == 0);
    });
  }

  static void take(Room& room, const Gene& gene) {
    for (const auto& [pool, count] : gene) {
      room.free[pool] -= count;
      room.has_span[pool] = gene.size() > 1 || room.has_span[pool] != 0 ? 1 : 0;
    }
  }

  /// Jobs in a random order keep what still fits; the others wait.
  Room repair(Individual& one) {
    Room room = empty_room();
    for (const std::size_t row : shuffled_rows()) {
      if (fits(room, one.genes[row])) {
        take(room, one.genes[row]);
      } else {
        one.genes[row].clear();
      }
    }
    return room;
  }

  void fill(Individual& one) {
    Room room = empty_room();
    for (const Gene& gene : one.genes) {
      take(room, gene);
    }
    fill(one, room);
  }

  /// Waiting jobs in a random order take machines at random.
  void fill(Individual& one, Room& room) {
    std::uint32_t left = std::accumulate(room.free.begin(), room.free.end(), 0U);
    std::vector<std::size_t> waiting;
    for (std::size_t row = 0; left > 0 && row < one.genes.size(); ++row) {
      if (one.genes[row].empty() && context_.jobs[row].spec->gang <= left) {
        waiting.push_back(row);
      }
    }
    for (; left > 0 && !waiting.empty(); waiting.pop_back()) {
      std::swap(waiting[rng_.below(waiting.size())], waiting.back());
      const std::size_t row = waiting.back();
      if (context_.jobs[row].spec->gang <= left) {
        one.genes[row] = random_gene(row, room);
        left -= one.genes[row].empty() ? 0 : context_.jobs[row].spec->gang;
        take(room, one.genes[row]);
      }
    }
  }

  [[nodiscard]] Gene random_gene(std::size_t row, const Room& room) {
    const std::uint32_t gang = context_.jobs[row].spec->gang;
    std::vector<Pool> holds_all;
    for (Pool p = 0; p < room.free.size(); ++p) {
      if (room.free[p] >= gang && can_run(row, type_of(p), /*split=*/false)) {
        holds_all.push_back(p);
      }
    }
    if (!holds_all.empty()) {
      return {{holds_all[rng_.below(holds_all.size())], gang}};
    }
    const std::size_t first = rng_.below(pools_of_type_.size());
    for (std::size_t i = 0; i < pools_of_type_.size(); ++i) {
      const std::size_t type = (first + i) % pools_of_type_.size();
      if (can_run(row, type, /*split=*/true)) {
        Gene gene = spread_over(type, gang, room);
        if (!gene.empty()) {
          return gene;
        }
      }
    }
    return {};
  }

  /// Over the machines with most free ones that host no other job that spans machines.
  [[nodiscard]] Gene spread_over(std::size_t type, std::uint32_t gang, const Room& room) const {
    std::vector<Pool> open;
    for (const Pool p : pools_of_type_[type]) {
      if (room.free[p] > 0 && room.has_span[p] == 0) {
        open.push_back(p);
      }
    }
    std::stable_sort(
        open.begin(), open.end(), [&](Pool a, Pool b) { return room.free[a] > room.free[b]; });
    Gene gene;
    for (const Pool p : open) {
      const std::uint32_t here = std::min(gang, room.free[p]);
      gene.emplace_back(p, here);
      gang -= here;
      if (gang == 0) {
        std::sort(gene.begin(), gene.end());
        return gene;
      }
    }
    return {};
  }

  /// Takes a few running jobs off, fills up, scores.
  void mutate(Individual& one) {
    std::vector<std::size_t> running;
    for (std::size_t row = 0; row < one.genes.size(); ++row) {
      if (!one.genes[row].empty()) {
        running.push_back(row);
      }
    }
    for (std::uint64_t k = running.empty() ? 0 : 1 + rng_.below(2); k > 0; --k) {
      one.genes[running[rng_.below(running.size())]].clear();
    }
    fill(one);
    score(one);
  }

  [[nodiscard]] Individual cross(const Individual& mother, const Individual& father) {
    Individual child;
    child.genes.reserve(mother.genes.size());
    std::uint64_t bits = 0;
    for (std::size_t row = 0; row < mother.genes.size(); ++row) {
      bits = row % 64 == 0 ? rng_.next() : bits >> 1U;
      child.genes.push_back((bits & 1U) != 0 ? mother.genes[row] : father.genes[row]);
    }
    (void)repair(child);
    return child;
  }

  [[nodiscard]] const Individual& tournament(const std::vector<Individual>& population,
                                             std::size_t size) {
    const Individual& a = population[rng_.below(size)];
    const Individual& b = population[rng_.below(size)];
    return a.fitness >= b.fitness ? a : b;
  }

  [[nodiscard]] std::size_t type_of(Pool pool) const {
    return index(context_.cluster.pools()[pool].type);
  }

  [[nodiscard]] std::vector<std::size_t> shuffled_rows() {
    std::vector<std::size_t> rows(context_.jobs.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    for (std::size_t i = rows.size(); i > 1; --i) {
      std::swap(rows[i - 1], rows[rng_.below(i)]);
    }
    return rows;
  }

  const RoundContext& context_;
  const PolluxOptions& options_;
  Rng rng_;
  std::vector<std::vector<Pool>> pools_of_type_;
  std::vector<Gene> present_;           // [jobs]
  std::vector<double> spread_speedup_;  // [jobs]
};

/// Whoever keeps its machines keeps its accelerators; the others take the first free ones.
RoundSchedule with_accelerators(const RoundContext& context, const Individual& chosen) {
  GpuLedger ledger(context.cluster);
  RoundSchedule schedule;
  std::vector<std::size_t> moving;
  std::vector<std::uint32_t> wanted(context.cluster.pools().size());
  for (std::size_t row = 0; row < chosen.genes.size(); ++row) {
    const JobState& job = context.jobs[row];
    if (chosen.genes[row].empty()) {
      continue;
    }
    bool stays = job.ran_last_round;
    std::fill(wanted.begin(), wanted.end(), 0U);
    for (const auto& [pool, count] : chosen.genes[row]) {
      wanted[pool] = count;
    }
    for (const GpuId gpu : stays ? job.gpus : std::vector<GpuId>{}) {
      stays = stays && wanted[context.cluster.pool_of(gpu)]-- > 0;
    }
    if (stays) {
      ledger.take(job.gpus);
      schedule.assignments.push_back({job.id, job.gpus});
    } else {
      moving.push_back(row);
    }
  }
  for (const std::size_t row : moving) {
    std::vector<GpuId> gpus;
    for (const auto& [pool, count] : chosen.genes[row]) {
      std::uint32_t left = count;
      for (std::uint32_t i = context.cluster.pools()[pool].first; left > 0; ++i) {
        if (ledger.is_free(to_id<GpuId>(i))) {
          gpus.push_back(to_id<GpuId>(i));
          --left;
        }
      }
    }
    ledger.take(gpus);
    schedule.assignments.push_back({context.jobs[row].id, std::move(gpus)});
  }
  return schedule;
}

}  // namespace

RoundSchedule PolluxScheduler::schedule(const RoundContext& context) {
  running_.clear();
  if (context.jobs.empty()) {
    return {};
  }
  const Individual chosen = PolluxSearch(context, options_, seed_).best();
  fitness_ = chosen.fitness;
  RoundSchedule schedule = with_accelerators(context, chosen);
  for (const Assignment& assignment : schedule.assignments) {
    running_.push_back(assignment.job);
  }
  return schedule;
}

std::string PolluxScheduler::explain(JobId job) const {
  const bool runs = std::find(running_.begin(), running_.end(), job) != running_.end();
  char text[96];
  std::snprintf(text,
                sizeof text,
                "%schosen by the search; its answer has a fitness of %.4f of 1",
                runs ? "" : "not ",
                fitness_);
  return text;
}

}  // namespace berth::schedulers

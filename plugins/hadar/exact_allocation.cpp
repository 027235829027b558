// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <optional>

#include "allocation.hpp"
#include "compositions.hpp"

namespace berth::hadar {
namespace {

constexpr double kNegative = -std::numeric_limits<double>::infinity();

/// A job that may start, and what each composition of its gang is worth.
struct Candidate {
  std::size_t row = 0;
  std::vector<std::size_t> compositions;  // of its gang, best kept first on ties
  std::vector<double> utility;            // beside them
};

class ExactSolver {
 public:
  ExactSolver(const RoundProblem& problem, GpuLedger& ledger, PriceBook& prices)
      : problem_(problem),
        cluster_(problem.context.cluster),
        ledger_(ledger),
        prices_(prices),
        grid_(cluster_, problem.options.state_limit),
        must_split_(problem.jobs.size(), 0),
        anew_(cluster_.num_types(), 0) {}

  std::vector<Decision> solve() {
    std::vector<Choice> choices = best_choices(candidates());
    std::vector<Decision> decisions = place(choices);
    if (!scattered_.empty()) {
      // Accelerators enough, but over too many machines: the types' gangs are placed anew.
      decisions = place_again(choices);
      for (const std::size_t row : scattered_) {
        must_split_[row] = 1;
      }
    }
    if (!scattered_.empty()) {
      decisions = place_again(best_choices(candidates()));
    }
    for (Decision& decision : decisions) {
      decision.charge = prices_.charge(decision.gpus);
      decision.dual_growth = prices_.give_out(decision.gpus);
    }
    if (problem_.options.fill) {
      fill_idle(problem_, ledger_, decisions);
    }
    return decisions;
  }

 private:
  /// What is chosen: a job and the composition it gets.
  struct Choice {
    std::size_t row = 0;
    std::size_t composition = 0;
    double utility = 0.0;
  };

  [[nodiscard]] bool splits(const JobView& job, const Composition& composition) const {
    return must_split_[static_cast<std::size_t>(&job - problem_.jobs.data())] != 0 ||
           composition.types_used > 1 || job.state->spec->gang > cluster_.largest_machine() ||
           job.state->spec->gang > cluster_.largest_pool(to_id<GpuTypeId>(composition.first_type));
  }

  [[nodiscard]] double utility_of(const JobView& job, const Composition& composition) const {
    if (composition.types_used > 1 && problem_.context.gangs.mix == MixRule::kOff) {
      return 0.0;
    }
    const double rate = gang_rate(
        *job.state->spec, composition.counts, !splits(job, composition), problem_.context.gangs);
    if (!(rate > 0.0)) {
      return 0.0;
    }
    const bool stays = job.state->ran_last_round && present(job) == composition.counts;
    const double overhead = stays || job.state->first_start_seconds < 0.0
                                ? 0.0
                                : problem_.context.gangs.restart_seconds;
    return problem_.utility.of_running(job, rate, overhead, composition.counts) *
           (stays ? 1.0 + problem_.options.stickiness : 1.0);
  }

  [[nodiscard]] std::vector<std::uint32_t> present(const JobView& job) const {
    std::vector<std::uint32_t> counts(cluster_.num_types());
    count_types(cluster_, job.state->gpus, counts);
    return counts;
  }

  /// Jobs that can be part of an optimum. Where K gangs of a size can run at
  /// once, a job outside the best K for each of its compositions can be
  /// exchanged for one inside without loss.
  [[nodiscard]] std::vector<Candidate> candidates() {
    std::vector<Candidate> all(problem_.jobs.size());
    std::vector<std::vector<std::pair<double, std::size_t>>> ranking;  // by composition
    for (std::size_t row = 0; row < all.size(); ++row) {
      const JobView& job = problem_.jobs[row];
      all[row].row = row;
      const std::vector<std::size_t>& compositions = grid_.of_gang(job.state->spec->gang);
      ranking.resize(grid_.num_compositions());
      for (const std::size_t c : compositions) {
        const double utility = utility_of(job, grid_.composition(c));
        if (utility > 0.0) {
          all[row].compositions.push_back(c);
          all[row].utility.push_back(utility);
          ranking[c].emplace_back(-utility, row);
        }
      }
    }
    std::vector<std::uint8_t> keep(all.size(), 0);
    for (std::size_t c = 0; c < ranking.size(); ++c) {
      const std::size_t most = cluster_.num_gpus() / grid_.composition(c).gang;
      const std::size_t kept = std::min(most, ranking[c].size());
      std::partial_sort(ranking[c].begin(),
                        ranking[c].begin() + static_cast<std::ptrdiff_t>(kept),
                        ranking[c].end());
      for (std::size_t i = 0; i < kept; ++i) {
        keep[ranking[c][i].second] = 1;
      }
    }
    std::vector<Candidate> result;
    for (std::size_t row = 0; row < all.size(); ++row) {
      if (keep[row] != 0) {
        result.push_back(std::move(all[row]));
      }
    }
    return result;
  }

  /// value[g] = best sum of utilities with exactly g accelerators of each type
  /// given out.
  [[nodiscard]] std::vector<Choice> best_choices(const std::vector<Candidate>& candidates) {
    const std::size_t states = grid_.num_states();
    std::vector<double> layers((candidates.size() + 1) * states, kNegative);
    layers[0] = 0.0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const double* from = layers.data() + i * states;
      double* to = layers.data() + (i + 1) * states;
      std::copy(from, from + states, to);
      for (std::size_t k = 0; k < candidates[i].compositions.size(); ++k) {
        grid_.relax(candidates[i].compositions[k], candidates[i].utility[k], from, to);
      }
    }
    const std::vector<std::vector<double>> charges = charges_by_type();
    const double* final_layer = layers.data() + candidates.size() * states;
    std::size_t at = 0;
    double best = kNegative;
    for (std::size_t g = 0; g < states; ++g) {
      const double value =
          final_layer[g] == kNegative ? kNegative : final_layer[g] - charge_of(charges, g);
      if (value > best) {
        best = value;
        at = g;
      }
    }
    // Walks back; equality is exact because the sums are the same operations.
    std::vector<Choice> choices;
    for (std::size_t i = candidates.size(); i-- > 0;) {
      const double* from = layers.data() + i * states;
      const double value = layers[(i + 1) * states + at];
      const Candidate& job = candidates[i];
      for (std::size_t k = 0; value != from[at] && k < job.compositions.size(); ++k) {
        const std::size_t c = job.compositions[k];
        const std::optional<std::size_t> before = grid_.before(at, c);
        if (before && from[*before] + job.utility[k] == value) {
          choices.push_back({job.row, c, job.utility[k]});
          at = *before;
          break;
        }
      }
    }
    std::reverse(choices.begin(), choices.end());
    return choices;
  }

  /// [type][accelerators given out]
  [[nodiscard]] std::vector<std::vector<double>> charges_by_type() const {
    std::vector<std::vector<double>> charges(cluster_.num_types());
    for (std::size_t t = 0; t < charges.size(); ++t) {
      const auto type = to_id<GpuTypeId>(t);
      for (std::uint32_t taken = 0; taken <= cluster_.capacity(type); ++taken) {
        charges[t].push_back(prices_.charge_of_type(type, taken));
      }
    }
    return charges;
  }

  [[nodiscard]] double charge_of(const std::vector<std::vector<double>>& charges,
                                 std::size_t state) const {
    double sum = 0.0;
    for (std::size_t t = 0; t < charges.size(); ++t) {
      sum += charges[t][grid_.taken(state, t)];
    }
    return sum;
  }

  /// Once more, and nobody of the types that were found too scattered keeps its accelerators.
  [[nodiscard]] std::vector<Decision> place_again(std::vector<Choice> choices) {
    ledger_.reset();
    return place(std::move(choices));
  }

  /// Machines: whoever keeps its composition first on its own accelerators, then largest gangs.
  /// Notes the gangs that a machine could hold and none did, at a loss, and their types.
  [[nodiscard]] std::vector<Decision> place(std::vector<Choice> choices) {
    scattered_.clear();
    std::stable_sort(choices.begin(), choices.end(), [this](const Choice& a, const Choice& b) {
      return grid_.composition(a.composition).gang > grid_.composition(b.composition).gang;
    });
    std::vector<Decision> decisions;
    std::vector<Choice> moving;
    for (const Choice& choice : choices) {
      const JobView& job = problem_.jobs[choice.row];
      const Composition& composition = grid_.composition(choice.composition);
      const bool anew = composition.types_used == 1 && anew_[composition.first_type] != 0;
      if (!anew && job.state->ran_last_round && present(job) == composition.counts &&
          ledger_.all_free(job.state->gpus)) {
        ledger_.take(job.state->gpus);
        note_scattered(choice, job.state->gpus);
        decisions.push_back(
            {choice.row, job.state->gpus, utility_on(problem_, job, job.state->gpus)});
      } else {
        moving.push_back(choice);
      }
    }
    for (const Choice& choice : moving) {
      const JobView& job = problem_.jobs[choice.row];
      std::vector<GpuId> gpus = ledger_.take(grid_.composition(choice.composition).counts);
      note_scattered(choice, gpus);
      const double utility = utility_on(problem_, job, gpus);
      if (utility > 0.0) {
        decisions.push_back({choice.row, std::move(gpus), utility});
      } else {
        ledger_.give_back(gpus);
      }
    }
    for (const std::size_t type : scattered_types_) {
      anew_[type] = 1;
    }
    scattered_types_.clear();
    return decisions;
  }

  void note_scattered(const Choice& choice, const std::vector<GpuId>& gpus) {
    const JobView& job = problem_.jobs[choice.row];
    const Composition& composition = grid_.composition(choice.composition);
    if (!splits(job, composition) && !on_one_machine(cluster_, gpus) &&
        utility_on(problem_, job, gpus) < choice.utility) {
      scattered_.push_back(choice.row);
      scattered_types_.push_back(composition.first_type);
    }
  }

  const RoundProblem& problem_;
  const Cluster& cluster_;
  GpuLedger& ledger_;
  PriceBook& prices_;
  CompositionGrid grid_;
  std::vector<std::uint8_t> must_split_;      // by row
  std::vector<std::size_t> scattered_;        // rows, by the last place()
  std::vector<std::size_t> scattered_types_;  // of these, while placing
  std::vector<std::uint8_t> anew_;            // by type: nobody keeps its accelerators
};

}  // namespace

std::vector<Decision> allocate_exactly(const RoundProblem& problem,
                                       GpuLedger& ledger,
                                       PriceBook& prices) {
  return ExactSolver(problem, ledger, prices).solve();
}

}  // namespace berth::hadar

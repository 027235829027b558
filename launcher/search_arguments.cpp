// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "search_arguments.hpp"

#include <boost/program_options/value_semantic.hpp>

namespace berth::launcher {

namespace po = boost::program_options;

void add_search_options(CommandLine& line) {
  line.add()("seed", po::value<std::string>()->default_value("1"), "seed of the run");
  line.add()("simulations",
             po::value<std::string>()->default_value("0"),
             "simulations that a search policy may spend; 0: its own default");
  line.add()("seconds",
             po::value<std::string>()->default_value("0"),
             "seconds that a search policy may take; 0: no limit");
  line.add()("refine",
             po::value<std::string>()->default_value("0"),
             "simulations of annealing, from each policy's placement and from its own starts");
}

SearchArguments search_of(const CommandLine& line) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  SearchArguments search;
  search.budget.simulations = static_cast<std::uint64_t>(line.integer("simulations", 0, kMost));
  search.budget.seconds = line.real("seconds", 0.0, 1e9);
  search.refine_simulations = static_cast<std::uint64_t>(line.integer("refine", 0, kMost));
  search.seed = static_cast<std::uint64_t>(line.integer("seed", 0, kMost));
  return search;
}

PolicyRun run_with_search(const PlacementProblem& problem,
                          PlacementPolicy& policy,
                          const std::string& label,
                          PluginHost& host,
                          const SearchArguments& search) {
  PolicyRun run = run_policy(problem, policy, label, search.budget, search.seed);
  if (search.refine_simulations > 0) {
    const auto annealing = host.placement_policy(
        "annealing", host.options(PlacementPolicy::kInterface, "annealing"), search.seed);
    refine(problem, *annealing, "annealing", {search.refine_simulations, 0.0}, search.seed, run);
  }
  return run;
}

}  // namespace berth::launcher

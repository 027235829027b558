// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "incumbents.hpp"

#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "archive.hpp"

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, berth::launcher::RivalResult& result, unsigned /*version*/) {
  archive& result.policy& result.makespan& result.simulations;
  archive& result.placement.device& result.placement.order;
}

}  // namespace boost::serialization

namespace berth::launcher {
namespace {

void add_checked(PluginHost& host, PolicyRequest request, std::vector<PolicyRequest>& found) {
  static_cast<void>(policy_config(host, PlacementPolicy::kInterface, request));
  found.push_back(std::move(request));
}

}  // namespace

std::vector<PolicyRequest> find_rivals(PluginHost& host, const std::string& list, Logger& logger) {
  std::vector<PolicyRequest> found;
  if (list == "auto") {
    for (const char* name : {"critical-path", "heft"}) {
      try {
        add_checked(host, parse_policy(name), found);
      } catch (const PluginError& error) {
        logger.warning(std::string("no incumbent '") + name + "': " + error.what());
      }
    }
  } else if (!list.empty()) {
    for (PolicyRequest& request : parse_policies(list)) {
      add_checked(host, std::move(request), found);
    }
  }
  return found;
}

RivalResult run_rival(PluginHost& host,
                      const PolicyRequest& request,
                      const PlacementProblem& problem,
                      std::uint64_t seed,
                      std::uint64_t simulations) {
  constexpr std::uint64_t kPurpose = 0x726976616c;  // "rival"
  const Config config = policy_config(host, PlacementPolicy::kInterface, request);
  const auto policy = host.placement_policy(request.name, config, seed);
  SearchBudget budget;
  budget.simulations = simulations;
  Evaluator evaluator(problem, budget);
  Rng rng(seed, {kPurpose, problem.graph.hash()});
  const Placement answer = policy->place(problem, evaluator, rng);
  evaluator(answer);
  return {request.text, evaluator.best_makespan(), evaluator.simulations(), evaluator.best()};
}

void start_from_incumbents(MpiSession& session,
                           PluginHost& host,
                           const std::vector<PolicyRequest>& incumbents,
                           const Problems& problems,
                           std::span<const Placement> given,
                           std::uint64_t seed,
                           TrainablePolicy& policy,
                           CampaignRecord& record) {
  std::vector<std::vector<RivalResult>> results(problems.size());
  if (session.rank() == 0) {
    for (std::size_t p = 0; p < problems.size(); ++p) {
      if (!given[p].device.empty()) {
        const double makespan = Simulator(*problems[p]).makespan(given[p]);
        results[p].push_back({"given", makespan, 1, given[p]});
      }
      for (const PolicyRequest& request : incumbents) {
        results[p].push_back(run_rival(host, request, *problems[p], seed, /*simulations=*/0));
      }
    }
  }
  std::string bytes = to_bytes(results);
  session.broadcast(bytes, "incumbents");
  results = from_bytes<std::vector<std::vector<RivalResult>>>(bytes);
  record.problems.assign(problems.size(), {});
  for (std::uint32_t p = 0; p < problems.size(); ++p) {
    ProblemRecord& problem = record.problems[p];
    for (RivalResult& result : results[p]) {
      if (result.makespan < problem.best_makespan) {
        problem.best = std::move(result.placement);
        problem.best_makespan = result.makespan;
        problem.best_source = result.policy;
      }
      problem.incumbents.push_back({result.policy, result.makespan, result.simulations, {}});
    }
    if (!problem.best.device.empty()) {
      policy.improved(*problems[p], p, problem.best, problem.best_makespan);
    }
  }
}

}  // namespace berth::launcher

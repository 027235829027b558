// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "berth/logger.hpp"
#include "berth/plugin_host.hpp"
#include "berth/rng.hpp"

#include "random_edges.hpp"

// Every placement policy of this build under budgets down to a single simulation.
namespace berth {
namespace {

using Problem = std::shared_ptr<const PlacementProblem>;

Problem problem_of(const Topology& topology, const ExecutionOptions& execution, double memory) {
  Rng rng(7);
  GraphBuilder builder("random");
  constexpr std::size_t kOps = 9;
  for (std::size_t v = 0; v < kOps; ++v) {
    OpSpec op;
    op.work = 1.0 + static_cast<double>(rng.below(9));
    op.memory_bytes = memory;
    builder.add_op(op);
  }
  testing::add_random_edges(builder, kOps, rng);
  return make_problem("random", builder.freeze(), topology, execution);
}

/// Three devices of speeds 1, 2 and 3 with room for four ops of one byte.
Topology unequal_devices() {
  TopologyBuilder builder("unequal");
  for (std::size_t d = 0; d < 3; ++d) {
    DeviceSpec device;
    device.peak = FlopsPerSecond{1.0 + static_cast<double>(d)};
    device.memory = Bytes{4.0};
    builder.add_device(device);
  }
  const LinkId link = builder.add_link({"", BytesPerSecond{1.0}, Seconds{0.0}});
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      if (a != b) {
        builder.route(to_id<DeviceId>(a), to_id<DeviceId>(b), {link});
      }
    }
  }
  return builder.freeze();
}

TEST(Budget, OfSimulationsHoldsForEveryPolicy) {
  StderrLogger logger(LogLevel::kError);
  PluginHost host({{}, {std::string(BERTH_BINARY_DIR) + "/lib/berth/plugins"}}, logger);
  host.load_all();
  std::vector<Problem> problems;
  for (const Discipline discipline :
       {Discipline::kAuto, Discipline::kFifo, Discipline::kPriority, Discipline::kStaticOrder}) {
    for (const ExecutionModel model : {ExecutionModel::kDelay, ExecutionModel::kLinks}) {
      ExecutionOptions execution;
      execution.discipline = discipline;
      execution.model = model;
      problems.push_back(problem_of(Topology::uniform(3), execution, 0.0));
      problems.push_back(problem_of(unequal_devices(), execution, 1.0));
    }
  }
  for (const LoadedPlugin& plugin : host.loaded()) {
    for (const berth_offer& offer :
         std::span(plugin.descriptor->offers, plugin.descriptor->offer_count)) {
      if (offer.interface_id != PlacementPolicy::kInterface) {
        continue;
      }
      const Config config = host.options(PlacementPolicy::kInterface, offer.name);
      const auto policy = host.placement_policy(offer.name, config, 3);
      for (const Problem& problem : problems) {
        for (std::uint64_t budget = 1; budget <= 20; ++budget) {
          Evaluator evaluator(*problem, {budget, 0.0});
          Rng rng(3);
          const std::string where = std::string(offer.name) + " on " + problem->topology.name() +
                                    ", " + std::string(name_of(problem->execution.model)) + ", " +
                                    std::string(name_of(problem->execution.discipline)) +
                                    ", budget " + std::to_string(budget);
          try {
            const Placement placement = policy->place(*problem, evaluator, rng);
            EXPECT_NO_THROW(check_placement(*problem, placement)) << where;
          } catch (const SolverError&) {
            EXPECT_STREQ(offer.name, "single-device") << where;  // All ops never fit on one.
          }
          EXPECT_LE(evaluator.simulations(), budget) << where;
        }
      }
    }
  }
}

}  // namespace
}  // namespace berth

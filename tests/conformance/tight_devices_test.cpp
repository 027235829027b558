// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/logger.hpp"
#include "berth/plugin_host.hpp"
#include "berth/rng.hpp"

#include "random_edges.hpp"

// Every placement policy of this build on devices of different speed, memory and eligibility: what
// it answers is legal and not below the proved optimum; it refuses as a solver does, and only where
// nothing fits.
namespace berth {
namespace {

using Problem = std::shared_ptr<const PlacementProblem>;

class TightDevices : public ::testing::Test {
 protected:
  TightDevices() : host_({{}, {std::string(BERTH_BINARY_DIR) + "/lib/berth/plugins"}}, logger_) {
    host_.load_all();
  }

  [[nodiscard]] std::vector<std::string> policies() const {
    std::vector<std::string> names;
    for (const LoadedPlugin& plugin : host_.loaded()) {
      for (const berth_offer& offer :
           std::span(plugin.descriptor->offers, plugin.descriptor->offer_count)) {
        if (offer.interface_id == PlacementPolicy::kInterface) {
          names.emplace_back(offer.name);
        }
      }
    }
    return names;
  }

  Placement place(const std::string& policy, const PlacementProblem& problem) {
    const Config config = host_.options(PlacementPolicy::kInterface, policy);
    Evaluator evaluator(problem, {policy == "exhaustive" ? 0U : 300U, 0.0});
    Rng rng(3);
    return host_.placement_policy(policy, config, 3)->place(problem, evaluator, rng);
  }

  StderrLogger logger_{LogLevel::kError};
  PluginHost host_;
};

Topology mixed_devices(const std::vector<double>& memory) {
  TopologyBuilder builder("mixed");
  for (std::size_t d = 0; d < memory.size(); ++d) {
    DeviceSpec device;
    device.name = "device" + std::to_string(d);
    device.peak = FlopsPerSecond{1.0 + static_cast<double>(d)};
    device.memory = Bytes{memory[d]};
    builder.add_device(device);
  }
  for (std::size_t a = 0; a < memory.size(); ++a) {
    for (std::size_t b = 0; b < memory.size(); ++b) {
      if (a != b) {
        const LinkId link = builder.add_link({"", BytesPerSecond{1.0}, Seconds{0.0}});
        builder.route(to_id<DeviceId>(a), to_id<DeviceId>(b), {link});
      }
    }
  }
  return builder.freeze();
}

constexpr std::size_t kOps = 6;
constexpr std::size_t kDevices = 3;

/// Six ops of 1 to 6 GB and three devices that hold 1.05 times as much in all; half of the ops may
/// run on two devices only, some have times of their own for every device.
Problem tight_problem(std::uint64_t seed) {
  Rng rng(seed);
  const bool has_table = rng.below(2) == 0;
  GraphBuilder builder("tight");
  double needed = 0.0;
  for (std::size_t v = 0; v < kOps; ++v) {
    OpSpec op;
    op.work = 1.0 + static_cast<double>(rng.below(9));
    op.memory_bytes = 1e9 * (1.0 + static_cast<double>(rng.below(6)));
    needed += op.memory_bytes;
    if (rng.below(2) == 0) {
      const std::size_t without = rng.below(kDevices);
      for (std::size_t d = 0; d < kDevices; ++d) {
        if (d != without) {
          op.eligible.push_back(to_id<DeviceId>(d));
        }
      }
    }
    for (std::size_t d = 0; d < kDevices && has_table; ++d) {
      op.device_time.push_back(1.0 + static_cast<double>(rng.below(20)));
    }
    builder.add_op(op);
  }
  testing::add_random_edges(builder, kOps, rng);
  const double share = std::floor(0.35 * needed);
  return make_problem("tight", builder.freeze(), mixed_devices({share, share, share}), {});
}

/// Whether any of the 3^6 placements is legal.
bool is_feasible(const PlacementProblem& problem) {
  Simulator simulator(problem);
  std::vector<DeviceId> device(kOps);
  const auto all = static_cast<std::size_t>(std::pow(kDevices, kOps));
  for (std::size_t code = 0; code < all; ++code) {
    std::size_t rest = code;
    for (DeviceId& d : device) {
      d = to_id<DeviceId>(rest % kDevices);
      rest /= kDevices;
    }
    if (std::isfinite(simulator.makespan(device))) {
      return true;
    }
  }
  return false;
}

TEST_F(TightDevices, EveryPolicyPlacesWhatFitsAndRefusesWhatDoesNot) {
  std::size_t feasible = 0;
  std::size_t infeasible = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Problem problem;
    try {
      problem = tight_problem(seed);
    } catch (const SolverError&) {
      continue;  // One op is larger than every device: refused before any policy is asked.
    }
    const bool fits = is_feasible(*problem);
    (fits ? feasible : infeasible) += 1;
    double optimum = 0.0;
    if (fits) {
      optimum = Simulator(*problem).makespan(place("exhaustive", *problem));
    }
    for (const std::string& policy : policies()) {
      try {
        const Placement placement = place(policy, *problem);
        EXPECT_TRUE(fits) << policy << ", seed " << seed;
        EXPECT_NO_THROW(check_placement(*problem, placement)) << policy << ", seed " << seed;
        EXPECT_GE(Simulator(*problem).makespan(placement), optimum * (1.0 - 1e-12))
            << policy << ", seed " << seed;
      } catch (const SolverError& error) {
        // All on one device is what this policy is; it never fits here.
        EXPECT_TRUE(!fits || policy == "single-device")
            << policy << ", seed " << seed << ": " << error.what();
      }
    }
  }
  EXPECT_GE(feasible, 5U);
  EXPECT_GE(infeasible, 5U);
}

/// Ops of 2 GB each, on two devices of 3 GB.
Problem ops_of_2_gb(int ops) {
  GraphBuilder builder("alike");
  for (int v = 0; v < ops; ++v) {
    OpSpec op;
    op.work = 1.0;
    op.memory_bytes = 2e9;
    builder.add_op(op);
  }
  return make_problem("alike", builder.freeze(), mixed_devices({3e9, 3e9}), {});
}

TEST_F(TightDevices, WhatCannotFitIsInfeasibleNamingOpAndBytes) {
  // Three ops of 2 GB on two devices of 3 GB: six of six in all, but no two go together.
  const Problem problem = ops_of_2_gb(3);

  for (const std::string& policy : policies()) {
    try {
      place(policy, *problem);
      ADD_FAILURE() << policy << " answered";
    } catch (const SolverError& error) {
      if (policy != "single-device" && policy != "exhaustive") {
        EXPECT_NE(std::string(error.what()).find("infeasible"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("2 GB"), std::string::npos) << error.what();
      }
    }
  }
}

TEST_F(TightDevices, APlacementOverMemoryIsRefusedNamingDeviceAndBytes) {
  const Problem problem = ops_of_2_gb(2);

  try {
    check_placement(*problem, {{to_id<DeviceId>(1), to_id<DeviceId>(1)}, {}});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "placement: device 'device1' needs 4 GB; it has 3 GB");
  }
}

}  // namespace
}  // namespace berth

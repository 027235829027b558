// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// An executor whose times are computed: what the simulator says, and a toll for each op on device
// 0 that the simulator knows nothing of. For the tests of stages of kind execution.

#include <signal.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <string>

#include "berth/plugin.hpp"
#include "berth/simulator.hpp"

namespace {

constexpr berth_option_spec kOptions[] = {
    {"toll", BERTH_OPTION_REAL, "0", 0, 1e9, "seconds", "", "Of each op on device 0."},
    {"room", BERTH_OPTION_INTEGER, "1000", 0, 1e9, "ops", "", "On device 1."},
    {"closed_at", BERTH_OPTION_INTEGER, "-1", -1, 1e9, "", "", "Rank of a group without devices."},
    {"nan_at", BERTH_OPTION_INTEGER, "-1", -1, 1e9, "", "", "Call that answers NaN."},
};

class ClockExecutor final : public berth::DeviceExecutor {
 public:
  ClockExecutor(const berth::PlacementProblem& problem, const berth::Config& config)
      : problem_(problem), simulator_(problem), config_(config) {}

  double makespan(const berth::Placement& placement) override {
    return measure(placement, {0, 1, 0.0}).median_seconds / problem_.costs.seconds_per_unit;
  }
  berth::Trace trace(const berth::Placement& placement) override {
    return simulator_.trace(placement);
  }

  berth::Measurement measure(const berth::Placement& placement,
                             const berth::MeasureSpec& spec) override {
    die_if_asked();
    double seconds = simulator_.makespan(placement) * problem_.costs.seconds_per_unit;
    std::int64_t on_one = 0;
    for (const berth::DeviceId device : placement.device) {
      seconds += berth::index(device) == 0 ? config_.real("toll") : 0.0;
      on_one += berth::index(device) == 1 ? 1 : 0;
    }
    berth::Measurement found;
    if (on_one > config_.integer("room")) {
      found.status = berth::RolloutStatus::kOutOfMemory;
      found.reason = "device 1 is full";
    } else if (spec.timeout_seconds > 0.0 && seconds > spec.timeout_seconds) {
      found.status = berth::RolloutStatus::kTimeout;
      found.reason = "too long";
    } else {
      const bool is_nan = calls_ == config_.integer("nan_at");
      found.median_seconds = is_nan ? std::numeric_limits<double>::quiet_NaN() : seconds;
      found.seconds.assign(spec.repeats, found.median_seconds);
    }
    ++calls_;
    return found;
  }

  berth::Trace last_trace() const override { return {}; }
  std::vector<float> output(berth::OpId) const override { return {}; }
  std::string description() const override { return "a clock"; }

 private:
  /// Kills the process at the call that an environment variable names.
  void die_if_asked() const {
    const char* text = std::getenv("BERTH_TEST_DIE_AT");
    if (text != nullptr && std::atoll(text) == calls_) {
      ::raise(SIGKILL);
    }
  }

  const berth::PlacementProblem& problem_;
  berth::Simulator simulator_;
  berth::Config config_;
  std::int64_t calls_ = 0;
};

class Clock final : public berth::ExecutorFactory {
 public:
  explicit Clock(const berth::Config& config) : config_(config) {}
  std::unique_ptr<berth::DeviceExecutor> open(const berth::PlacementProblem& problem) override {
    return std::make_unique<ClockExecutor>(problem, config_);
  }

 private:
  berth::Config config_;
};

/// The clock of a group, whose ranks must all be asked for the same.
class GroupClock final : public berth::DeviceExecutor {
 public:
  GroupClock(const berth::PlacementProblem& problem,
             const berth::Config& config,
             berth::PeerGroup& group)
      : inner_(problem, config), group_(group) {}

  double makespan(const berth::Placement& placement) override { return inner_.makespan(placement); }
  berth::Trace trace(const berth::Placement& placement) override { return inner_.trace(placement); }
  berth::Measurement measure(const berth::Placement& placement,
                             const berth::MeasureSpec& spec) override {
    std::string call = std::to_string(spec.timeout_seconds);
    for (const berth::DeviceId device : placement.device) {
      call += " " + std::to_string(berth::index(device));
    }
    for (const std::string& other : group_.all_gather(call, "a call", 0.0)) {
      if (other != call) {
        throw berth::RunError("the ranks of a group are asked for different runs");
      }
    }
    return inner_.measure(placement, spec);
  }
  berth::Trace last_trace() const override { return {}; }
  std::vector<float> output(berth::OpId) const override { return {}; }
  std::string description() const override {
    return "a clock of " + std::to_string(group_.size()) + " ranks";
  }

 private:
  ClockExecutor inner_;
  berth::PeerGroup& group_;
};

class RankClock final : public berth::RankExecutorFactory {
 public:
  explicit RankClock(const berth::Config& config) : config_(config) {}
  std::unique_ptr<berth::DeviceExecutor> open(const berth::PlacementProblem& problem,
                                              berth::PeerGroup& group) override {
    if (config_.integer("closed_at") == group.rank()) {
      throw berth::RunError("no devices here");
    }
    static_cast<void>(group.all_gather({}, "opening", 0.0));
    return std::make_unique<GroupClock>(problem, config_, group);
  }

 private:
  berth::Config config_;
};

std::unique_ptr<berth::ExecutorFactory> make_clock(const berth::HostServices& host) {
  return std::make_unique<Clock>(*host.config);
}
std::unique_ptr<berth::RankExecutorFactory> make_group_clock(const berth::HostServices& host) {
  return std::make_unique<RankClock>(*host.config);
}

}  // namespace

BERTH_PLUGIN(
    "clock",
    "1.0",
    berth::offer<berth::ExecutorFactory, make_clock>("clock", "Times that are computed.", kOptions),
    berth::offer<berth::RankExecutorFactory, make_group_clock>("group-clock",
                                                               "The same by ranks together.",
                                                               kOptions))

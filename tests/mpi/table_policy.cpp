// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// A trainable policy of one table of logits, op by device, for the tests of the farm; with options
// to misbehave.

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <thread>

#include "berth/plugin.hpp"
#include "berth/rng.hpp"
#include "berth/simulator.hpp"

namespace {

using berth::DeviceId;
using berth::PlacementProblem;
using berth::Rollout;
using berth::RolloutOutcome;
using berth::RolloutSpec;

constexpr berth_option_spec kOptions[] = {
    {"ops", BERTH_OPTION_INTEGER, "64", 1, 1e6, "", "", "Rows of the table."},
    {"devices", BERTH_OPTION_INTEGER, "4", 1, 64, "", "", "Columns of the table."},
    {"rate", BERTH_OPTION_REAL, "0.1", 0, 10, "", "", "Learning rate."},
    {"nan_id", BERTH_OPTION_INTEGER, "-1", -1, 1e9, "", "", "Rollout whose order is NaN."},
    {"throw_id", BERTH_OPTION_INTEGER, "-1", -1, 1e9, "", "", "Rollout that throws."},
    {"sleep_id", BERTH_OPTION_INTEGER, "-1", -1, 1e9, "", "", "Rollout that never ends."},
    {"busy_microseconds", BERTH_OPTION_INTEGER, "0", 0, 1e9, "", "", "Work in each rollout."},
    {"crash_at",
     BERTH_OPTION_INTEGER,
     "-1",
     -1,
     1e9,
     "",
     "",
     "Update in whose gradient rank 1 throws."},
    {"drift_at", BERTH_OPTION_INTEGER, "-1", -1, 1e9, "", "", "Update in whose step rank 1 errs."},
};

bool is_rank_one() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank != nullptr && std::string(rank) == "1";
}

class TablePolicy final : public berth::TrainablePolicy {
 public:
  explicit TablePolicy(const berth::Config& config)
      : ops_(static_cast<std::size_t>(config.integer("ops"))),
        devices_(static_cast<std::size_t>(config.integer("devices"))),
        config_(config),
        logits_(ops_ * devices_, 0.0F),
        momentum_(logits_.size(), 0.0F) {}

  berth::Placement place(const PlacementProblem& problem,
                         berth::Evaluator&,
                         berth::Rng& rng) override {
    RolloutSpec spec;
    spec.seed = rng.next();
    return rollout(problem, spec).placement;
  }

  Rollout rollout(const PlacementProblem& problem, const RolloutSpec& spec) const override {
    misbehave(spec);
    berth::Rng rng(spec.seed);
    Rollout rollout;
    std::vector<double> share(num_devices(problem));
    for (std::size_t op = 0; op < problem.graph.num_ops(); ++op) {
      softmax(op, share);
      double left = rng.uniform();
      std::size_t device = 0;
      while (device + 1 < share.size() && left >= share[device]) {
        left -= share[device++];
      }
      rollout.placement.device.push_back(berth::to_id<DeviceId>(device));
      rollout.decisions.push_back(static_cast<std::uint32_t>(device));
    }
    if (is(spec, "nan_id")) {
      rollout.placement.order.assign(problem.graph.num_ops(),
                                     std::numeric_limits<double>::quiet_NaN());
    }
    return rollout;
  }

  /// The teacher spreads ops over devices by id.
  Rollout demonstrate(const PlacementProblem& problem, const RolloutSpec& spec) const override {
    misbehave(spec);
    Rollout rollout;
    for (std::size_t op = 0; op < problem.graph.num_ops(); ++op) {
      const std::size_t device = op % num_devices(problem);
      rollout.placement.device.push_back(berth::to_id<DeviceId>(device));
      rollout.decisions.push_back(static_cast<std::uint32_t>(device));
    }
    return rollout;
  }

  void assess(std::span<RolloutOutcome> outcomes) override {
    std::map<std::uint32_t, std::pair<double, double>> sums;
    for (const RolloutOutcome& outcome : outcomes) {
      if (outcome.status == berth::RolloutStatus::kOk) {
        sums[outcome.spec.problem].first += outcome.makespan;
        sums[outcome.spec.problem].second += 1.0;
      }
    }
    for (RolloutOutcome& outcome : outcomes) {
      const auto [sum, count] = sums[outcome.spec.problem];
      outcome.advantage = count > 0.0 ? 1.0 - outcome.makespan * count / sum : 0.0;
      if (outcome.spec.stage == berth::Stage::kImitation) {
        outcome.advantage = 0.1;
      }
    }
  }

  void gradient(const PlacementProblem& problem,
                std::span<const berth::ScoredRollout> group,
                std::span<float> out) const override {
    if (is_rank_one() && static_cast<std::int64_t>(steps_) == config_.integer("crash_at")) {
      throw std::runtime_error("a planned failure");
    }
    std::vector<double> share(num_devices(problem));
    for (const berth::ScoredRollout& scored : group) {
      for (std::size_t op = 0; op < scored.rollout->decisions.size(); ++op) {
        softmax(op, share);
        for (std::size_t device = 0; device < share.size(); ++device) {
          const double chosen = scored.rollout->decisions[op] == device ? 1.0 : 0.0;
          out[row(op) + device] +=
              static_cast<float>(-scored.outcome.advantage * (chosen - share[device]));
        }
      }
    }
  }

  void step(std::span<const float> gradient, const berth::StepSpec& spec) override {
    const auto rate = static_cast<float>(config_.real("rate"));
    for (std::size_t i = 0; i < logits_.size(); ++i) {
      momentum_[i] = 0.9F * momentum_[i] + gradient[i];
      logits_[i] -= rate * momentum_[i];
    }
    if (is_rank_one() && static_cast<std::int64_t>(spec.update) == config_.integer("drift_at")) {
      logits_[0] += 1.0F;
    }
    ++steps_;
  }

  std::span<const float> parameters() const override { return logits_; }

  void improved(const PlacementProblem&,
                std::uint32_t,
                const berth::Placement&,
                double makespan) override {
    heard_ = heard_ * 31.0 + makespan;
  }

  void save(berth::StateWriter& writer) const override {
    const std::int64_t shape[] = {static_cast<std::int64_t>(ops_),
                                  static_cast<std::int64_t>(devices_)};
    writer.tensor("logits", shape, logits_);
    writer.tensor("momentum", shape, momentum_);
    writer.tensor("heard", {}, std::span<const double>(&heard_, 1));
    writer.tensor("steps", {}, std::span<const std::uint64_t>(&steps_, 1));
  }

  void load(const berth::StateReader& reader) override {
    const std::int64_t shape[] = {static_cast<std::int64_t>(ops_),
                                  static_cast<std::int64_t>(devices_)};
    reader.tensor("logits", shape, std::span<float>(logits_));
    reader.tensor("momentum", shape, std::span<float>(momentum_));
    reader.tensor("heard", {}, std::span<double>(&heard_, 1));
    reader.tensor("steps", {}, std::span<std::uint64_t>(&steps_, 1));
  }

 private:
  [[nodiscard]] std::size_t row(std::size_t op) const { return op % ops_ * devices_; }
  [[nodiscard]] std::size_t num_devices(const PlacementProblem& problem) const {
    return std::min(devices_, problem.topology.num_devices());
  }

  void softmax(std::size_t op, std::vector<double>& share) const {
    double sum = 0.0;
    for (std::size_t device = 0; device < share.size(); ++device) {
      share[device] = std::exp(static_cast<double>(logits_[row(op) + device]));
      sum += share[device];
    }
    for (double& value : share) {
      value /= sum;
    }
  }

  [[nodiscard]] bool is(const RolloutSpec& spec, const char* option) const {
    return config_.integer(option) == static_cast<std::int64_t>(index(spec.id));
  }

  void misbehave(const RolloutSpec& spec) const {
    if (is(spec, "throw_id")) {
      throw std::runtime_error("a planned exception");
    }
    while (is(spec, "sleep_id")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const auto until = std::chrono::steady_clock::now() +
                       std::chrono::microseconds(config_.integer("busy_microseconds"));
    while (std::chrono::steady_clock::now() < until) {
    }
  }

  std::size_t ops_;
  std::size_t devices_;
  berth::Config config_;
  std::vector<float> logits_;
  std::vector<float> momentum_;
  double heard_ = 0.0;
  std::uint64_t steps_ = 0;
};

std::unique_ptr<berth::TrainablePolicy> make_table(const berth::HostServices& host) {
  return std::make_unique<TablePolicy>(*host.config);
}

}  // namespace

BERTH_PLUGIN("table",
             "1.0",
             berth::offer<berth::TrainablePolicy, make_table>(
                 "table", "A table of logits that learns by REINFORCE.", kOptions))

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"
#include "berth/problem.hpp"
#include "berth/simulator.hpp"

namespace berth::baselines {

inline constexpr double kCannotRun = std::numeric_limits<double>::infinity();

struct ExampleEdge {
  std::uint32_t from;
  std::uint32_t to;
  double size;
};

/// A graph in time units on identical devices with free links in the `delay` sense.
inline std::shared_ptr<const PlacementProblem> identical_problem(
    const std::vector<double>& work,
    const std::vector<ExampleEdge>& edges,
    std::size_t devices,
    Discipline discipline = Discipline::kAuto) {
  GraphBuilder builder("example");
  for (const double time : work) {
    OpSpec op;
    op.work = time;
    builder.add_op(op);
  }
  for (const auto& [from, to, size] : edges) {
    builder.add_edge(OpId{from}, OpId{to}, size);
  }
  ExecutionOptions execution;
  execution.discipline = discipline;
  return make_problem("example", builder.freeze(), Topology::uniform(devices), execution);
}

/// Two devices with 3 B of memory each and free links between them.
inline Topology two_small_devices() {
  TopologyBuilder devices("two");
  for (const char* name : {"a", "b"}) {
    DeviceSpec device;
    device.name = name;
    device.memory = Bytes{3.0};
    devices.add_device(device);
  }
  const LinkId link = devices.add_link({});
  devices.route(DeviceId{0}, DeviceId{1}, {link}).route(DeviceId{1}, DeviceId{0}, {link});
  return devices.freeze();
}

/// Three ops of 2 B: 6 B fit on two_small_devices() in total, but not one by one.
inline std::shared_ptr<const PlacementProblem> too_big_one_by_one() {
  GraphBuilder builder("big");
  for (int i = 0; i < 3; ++i) {
    OpSpec op;
    op.name = "op" + std::to_string(i);
    op.work = 1.0;
    op.memory_bytes = 2.0;
    builder.add_op(op);
  }
  return make_problem("big", builder.freeze(), two_small_devices(), {});
}

/// The ten tasks on three unlike devices of Topcuoglu, Hariri and Wu 2002, table 1 and figure 2.
inline std::shared_ptr<const PlacementProblem> ten_tasks(Discipline discipline) {
  const std::vector<std::vector<double>> times = {{14, 16, 9},
                                                  {13, 19, 18},
                                                  {11, 13, 19},
                                                  {13, 8, 17},
                                                  {12, 13, 10},
                                                  {13, 16, 9},
                                                  {7, 15, 11},
                                                  {5, 11, 14},
                                                  {18, 12, 20},
                                                  {21, 7, 16}};
  const std::vector<ExampleEdge> edges = {{0, 1, 18},
                                          {0, 2, 12},
                                          {0, 3, 9},
                                          {0, 4, 11},
                                          {0, 5, 14},
                                          {1, 7, 19},
                                          {1, 8, 16},
                                          {2, 6, 23},
                                          {3, 7, 27},
                                          {3, 8, 23},
                                          {4, 8, 13},
                                          {5, 7, 15},
                                          {6, 9, 17},
                                          {7, 9, 11},
                                          {8, 9, 13}};
  GraphBuilder builder("ten-tasks");
  for (const auto& time : times) {
    OpSpec op;
    op.device_time = time;
    builder.add_op(op);
  }
  for (const auto& [from, to, size] : edges) {
    builder.add_edge(OpId{from}, OpId{to}, size);
  }
  ExecutionOptions execution;
  execution.discipline = discipline;
  return make_problem("ten-tasks", builder.freeze(), Topology::uniform(3), execution);
}

/// Swallows log lines.
class SilentLogger final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view /*line*/) override {}
  [[nodiscard]] LogLevel level() const override { return LogLevel::kError; }
};

/// An option given as a user would.
struct GivenOption {
  std::string_view name;
  std::string_view value;
};

/// A policy of the plugin with its options.
template <class Make>
std::unique_ptr<PlacementPolicy> make_policy(Make make,
                                             std::span<const berth_option_spec> specs = {},
                                             std::initializer_list<GivenOption> given = {}) {
  static SilentLogger logger;
  Config config(specs, "policy");
  for (const auto& [name, value] : given) {
    config.set(name, value);
  }
  HostServices host;
  host.logger = &logger;
  host.config = &config;
  return make(host);
}

/// Places, checks legality and returns the simulated makespan.
inline double makespan_of(PlacementPolicy& policy,
                          const PlacementProblem& problem,
                          SearchBudget budget = {},
                          std::uint64_t seed = 1) {
  Evaluator evaluator(problem, budget);
  Rng rng(seed);
  const Placement placement = policy.place(problem, evaluator, rng);
  check_placement(problem, placement);
  return Simulator(problem).makespan(placement);
}

}  // namespace berth::baselines

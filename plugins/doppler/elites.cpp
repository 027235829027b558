// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "elites.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "berth/rng.hpp"
#include "berth/simulator.hpp"

namespace berth::doppler {

std::uint64_t fingerprint(const PlacementProblem& problem) {
  const auto model = static_cast<std::uint64_t>(problem.execution.model);
  return mix64(problem.graph.hash() ^ mix64(problem.topology.hash() ^ mix64(model)));
}

Elite elite_of(const PlacementProblem& problem, const Placement& placement, double makespan) {
  Elite elite{placement.device, placement.order, {}, fingerprint(problem), makespan};
  std::vector<std::uint32_t> position(problem.graph.num_ops());
  std::uint32_t next = 0;
  for (const OpId op : problem.graph.topological_order()) {
    position[index(op)] = next++;
  }
  const Trace trace = Simulator(problem).trace(placement);
  elite.sequence.resize(position.size());
  std::iota(elite.sequence.begin(), elite.sequence.end(), 0U);
  std::ranges::sort(elite.sequence, {}, [&](std::uint32_t v) {
    return std::pair(trace.ops[v].start, position[v]);
  });
  return elite;
}

void Elites::offer(std::uint32_t problem, Elite candidate) {
  const auto known = elites_.find(problem);
  if (known == elites_.end() || candidate.makespan < known->second.makespan ||
      known->second.device.size() != candidate.device.size()) {
    elites_[problem] = std::move(candidate);
  }
}

const Elite* Elites::recall(std::uint64_t fingerprint) const {
  for (const auto& [problem, elite] : elites_) {
    if (elite.fingerprint == fingerprint) {
      return &elite;
    }
  }
  return nullptr;
}

const Elite* Elites::find(std::uint32_t problem, std::size_t ops) const {
  const auto known = elites_.find(problem);
  return known == elites_.end() || known->second.device.size() != ops ? nullptr : &known->second;
}

void Elites::save(StateWriter& writer) const {
  std::vector<std::uint64_t> problems;
  for (const auto& [problem, elite] : elites_) {
    problems.push_back(problem);
    const std::vector<std::uint64_t> device = [&elite = elite] {
      std::vector<std::uint64_t> ids;
      for (const DeviceId d : elite.device) {
        ids.push_back(index(d));
      }
      return ids;
    }();
    const std::string name = "elite/" + std::to_string(problem);
    const std::int64_t shape[] = {static_cast<std::int64_t>(device.size())};
    writer.tensor(name + "/device", shape, std::span<const std::uint64_t>(device));
    const std::vector<std::uint64_t> sequence(elite.sequence.begin(), elite.sequence.end());
    writer.tensor(name + "/sequence", shape, std::span<const std::uint64_t>(sequence));
    const std::int64_t ordered[] = {static_cast<std::int64_t>(elite.order.size())};
    writer.tensor(name + "/order", ordered, std::span<const double>(elite.order));
    writer.tensor(name + "/makespan", {}, std::span<const double>(&elite.makespan, 1));
    writer.tensor(name + "/fingerprint", {}, std::span<const std::uint64_t>(&elite.fingerprint, 1));
  }
  const std::int64_t shape[] = {static_cast<std::int64_t>(problems.size())};
  writer.tensor("elite/problems", shape, std::span<const std::uint64_t>(problems));
}

void Elites::load(const StateReader& reader) {
  elites_.clear();
  const std::vector<std::int64_t> shape = reader.shape("elite/problems");
  std::vector<std::uint64_t> problems(shape.empty() ? 0 : static_cast<std::size_t>(shape[0]));
  reader.tensor("elite/problems", shape, std::span<std::uint64_t>(problems));
  for (const std::uint64_t problem : problems) {
    const std::string name = "elite/" + std::to_string(problem);
    const std::vector<std::int64_t> ops = reader.shape(name + "/device");
    std::vector<std::uint64_t> device(ops.empty() ? 0 : static_cast<std::size_t>(ops[0]));
    reader.tensor(name + "/device", ops, std::span<std::uint64_t>(device));
    Elite& elite = elites_[static_cast<std::uint32_t>(problem)];
    for (const std::uint64_t d : device) {
      elite.device.push_back(to_id<DeviceId>(d));
    }
    std::vector<std::uint64_t> sequence(device.size());
    reader.tensor(name + "/sequence", ops, std::span<std::uint64_t>(sequence));
    for (const std::uint64_t v : sequence) {
      elite.sequence.push_back(static_cast<std::uint32_t>(v));
    }
    const std::vector<std::int64_t> ordered = reader.shape(name + "/order");
    elite.order.resize(ordered.empty() ? 0 : static_cast<std::size_t>(ordered[0]));
    reader.tensor(name + "/order", ordered, std::span<double>(elite.order));
    reader.tensor(name + "/makespan", {}, std::span<double>(&elite.makespan, 1));
    reader.tensor(name + "/fingerprint", {}, std::span<std::uint64_t>(&elite.fingerprint, 1));
  }
}

}  // namespace berth::doppler

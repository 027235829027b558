// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <new>
#include <numeric>

#include <gtest/gtest.h>

#include "berth/simulator.hpp"

#include "small_problems.hpp"

namespace {

std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  void* memory = operator new(size, std::nothrow);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace berth {
namespace {

TEST(Allocation, TheCounterCounts) {
  const std::size_t before = allocations;
  const std::vector<int> numbers(3);
  EXPECT_EQ(allocations, before + 1);
}

TEST(Allocation, NoMakespanAllocatesAfterTheFirst) {
  Rng rng(1);
  const std::size_t ops = 60;
  const Graph graph = random_graph(rng, ops, 0);
  const Graph positive = random_graph(rng, ops, 1);
  std::vector<std::vector<DeviceId>> placements;
  for (int i = 0; i < 50; ++i) {
    placements.push_back(random_placement(rng, ops, 3));
  }
  std::vector<double> order(ops);
  std::iota(order.begin(), order.end(), 0.0);
  for (const ExecutionModel model : {ExecutionModel::kDelay,
                                     ExecutionModel::kDopplerReference,
                                     ExecutionModel::kLinks,
                                     ExecutionModel::kFair}) {
    for (const Graph* used : {&graph, &positive}) {
      const auto problem = make_problem("p", *used, mixed_bus(), under(model));
      Simulator simulator(*problem);
      // The emptiest execution first: one device, no transfer.
      const std::vector<DeviceId> quiet(ops, DeviceId{0});
      static_cast<void>(simulator.makespan(quiet));
      static_cast<void>(simulator.makespan(quiet, order));
      const std::size_t before = allocations;
      for (const auto& placement : placements) {
        static_cast<void>(simulator.makespan(placement));
        static_cast<void>(simulator.makespan(placement, order));
      }
      EXPECT_EQ(allocations, before) << name_of(model);
    }
  }
}

}  // namespace
}  // namespace berth

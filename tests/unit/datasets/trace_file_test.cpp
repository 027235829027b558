// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "datasets/trace_file.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "datasets/source_text.hpp"
#include "scratch.hpp"

namespace berth::datasets {
namespace {

/// Two producers on device 0 whose transfers to device 1 overlap, and their consumer.
nlohmann::json written_trace() {
  GraphBuilder builder("join");
  builder.cost_basis(CostBasis::kTime, 1e-6);
  for (const char* name : {"p", "q", "r"}) {
    OpSpec op;
    op.name = name;
    op.work = 1.0;
    builder.add_op(op);
  }
  builder.add_edge(OpId{0}, OpId{2}, 5.0).add_edge(OpId{1}, OpId{2}, 5.0);
  Trace trace;
  trace.seconds_per_unit = 1e-6;
  trace.ops = {{OpId{0}, DeviceId{0}, 0, 0, 0, 1},
               {OpId{1}, DeviceId{0}, 0, 0, 1, 2},
               {OpId{2}, DeviceId{1}, 0, 7, 7, 8}};
  trace.transfers = {{OpId{0}, OpId{2}, DeviceId{0}, DeviceId{1}, 1, 1, 6},
                     {OpId{1}, OpId{2}, DeviceId{0}, DeviceId{1}, 2, 2, 7}};
  const tests::Scratch scratch;
  write_chrome_trace(trace, builder.freeze(), Topology::uniform(2), scratch.path("t.json"));
  return nlohmann::json::parse(load_source(scratch.path("t.json")).text);
}

TEST(ChromeTrace, HasASliceForEveryOpAndTransferInMicroseconds) {
  std::map<std::string, double> end;
  std::size_t slices = 0;
  const nlohmann::json trace = written_trace();
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") {
      ++slices;
      end[event.at("name")] = event.at("ts").get<double>() + event.at("dur").get<double>();
    }
  }

  EXPECT_EQ(slices, 5U);
  EXPECT_DOUBLE_EQ(end.at("r"), 8.0);
}

TEST(ChromeTrace, NeverOverlapsTwoSlicesOfOneThread) {
  std::map<std::pair<int, int>, double> busy_until;
  const nlohmann::json trace = written_trace();
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") {
      double& until = busy_until[{event.at("pid").get<int>(), event.at("tid").get<int>()}];
      EXPECT_GE(event.at("ts").get<double>(), until) << event;
      until = event.at("ts").get<double>() + event.at("dur").get<double>();
    }
  }

  EXPECT_EQ(busy_until.size(), 4U);  // two devices, and two lanes for the pair
}

TEST(ChromeTrace, NamesItsThreadsAndPairsItsArrows) {
  std::set<std::string> names;
  std::map<int, std::string> phases;
  const nlohmann::json trace = written_trace();
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") {
      names.insert(event.at("args").at("name").get<std::string>());
    } else if (event.at("ph") != "X") {
      phases[event.at("id").get<int>()] += event.at("ph").get<std::string>();
    }
  }

  EXPECT_TRUE(names.contains("devices"));
  EXPECT_TRUE(names.contains("device0 -> device1"));
  ASSERT_EQ(phases.size(), 4U);
  for (const auto& [id, phase] : phases) {
    EXPECT_EQ(phase, "sf") << id;
  }
}

}  // namespace
}  // namespace berth::datasets

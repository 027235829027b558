// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "workload.hpp"

namespace berth::datasets {
namespace {

constexpr double kBatch = 32768.0;
constexpr double kFeatures = 32.0;  ///< Inputs and outputs.
constexpr double kHidden = 65536.0;

Sharding::Table ffnn_table(const WorkloadSpec& spec) {
  const std::string n = std::to_string(spec.devices);
  const std::string wide = std::to_string(4 * spec.devices);
  return {{"hidden", "b" + n + "h4"}, {"output", "b" + n + "h4"}, {"softmax", "b" + wide}};
}

}  // namespace

/// softmax(relu(X W1) W2), the FFNN workload. The rule with 4 devices gives the published blocks.
Graph make_ffnn(const WorkloadSpec& spec) {
  const Sharding shards(spec, ffnn_table(spec));
  BlockedProgram program(
      "ffnn",
      extents_of(spec, {{'b', kBatch}, {'i', kFeatures}, {'o', kFeatures}, {'h', kHidden}}),
      spec.costs);
  const BlockedTensor hidden = program.reduce("hidden",
                                              "bh",
                                              "i",
                                              shards.of("hidden"),
                                              {program.input("bi"), program.weight("ih", "i")},
                                              Reduction::kContract);
  const BlockedTensor relu = program.map_like("relu", {"relu"}, "bh", {hidden});
  const BlockedTensor output = program.reduce("output",
                                              "bo",
                                              "h",
                                              shards.of("output"),
                                              {relu, program.weight("ho", "h")},
                                              Reduction::kContract);
  const BlockedTensor largest =
      program.reduce("softmax max", "b", "o", shards.of("softmax"), {output}, Reduction::kMax);
  const BlockedTensor shifted =
      program.map("softmax shift", {"subtract"}, "bo", shards.of("softmax"), {output, largest});
  const BlockedTensor exponential = program.map_like("softmax exp", {"exp"}, "bo", {shifted});
  const BlockedTensor total =
      program.reduce_like("softmax sum", "b", "o", exponential, Reduction::kSum);
  program.map_like("softmax divide", {"divide"}, "bo", {exponential, total});
  return program.finish();
}

}  // namespace berth::datasets

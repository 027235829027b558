// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Not broken: one name under the trainable interface and, with another answer, under the plain
// one. The host must create what was asked for.

#include "trainable_stub.hpp"

namespace {

berth::Placement all_on_last(const berth::PlacementProblem& problem) {
  const auto last = berth::to_id<berth::DeviceId>(problem.topology.num_devices() - 1);
  return {std::vector<berth::DeviceId>(problem.graph.num_ops(), last), {}};
}

}  // namespace

BERTH_PLUGIN("both-interfaces",
             "1.0",
             berth::offer<berth::TrainablePolicy,
                          berth::broken::make_trainable<berth::broken::TrainableStub>>("both",
                                                                                       "Learns.",
                                                                                       {}),
             berth::offer<berth::PlacementPolicy, berth::broken::make_function_policy<all_on_last>>(
                 "both", "Places.", {}))

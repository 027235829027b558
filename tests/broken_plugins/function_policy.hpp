// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <vector>

#include "berth/plugin.hpp"

namespace berth::broken {

using PlaceFunction = Placement (*)(const PlacementProblem& problem);

/// A policy that is one function.
template <PlaceFunction Function>
class FunctionPolicy final : public PlacementPolicy {
 public:
  Placement place(const PlacementProblem& problem,
                  Evaluator& /*evaluator*/,
                  Rng& /*rng*/) override {
    return Function(problem);
  }
};

template <PlaceFunction Function>
std::unique_ptr<PlacementPolicy> make_function_policy(const HostServices& /*host*/) {
  return std::make_unique<FunctionPolicy<Function>>();
}

/// Every op on device 0: legal on the problems of these tests.
inline Placement all_on_first(const PlacementProblem& problem) {
  return {std::vector<DeviceId>(problem.graph.num_ops(), DeviceId{0}), {}};
}

}  // namespace berth::broken

/// A plugin whose one policy is a function.
#define BERTH_FUNCTION_PLUGIN(name, function)                                                    \
  BERTH_PLUGIN(                                                                                  \
      name,                                                                                      \
      "1.0",                                                                                     \
      ::berth::offer<::berth::PlacementPolicy, ::berth::broken::make_function_policy<function>>( \
          name, "Broken.", {}))

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "head_weights.hpp"
#include "problem_view.hpp"
#include "tables.hpp"

namespace berth::doppler {

/// A problem as seen with one version of the weights: what all rollouts between two updates share.
struct PreparedProblem {
  std::shared_ptr<const ProblemView> view;
  std::shared_ptr<const HeadWeights> heads;
  Tables tables;
};

}  // namespace berth::doppler

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "placement_net.hpp"
#include "placeto_net.hpp"

namespace berth::learned {

/// Placeto's network for acting, in plain C++: at the size of its rows LibTorch would spend its
/// time on calls. The same logits as the pass that learns, to rounding; no backward().
/// Cost of a step: f^2 for each op that what the step changed can reach in a round, at the first
/// step all of them; with messages once an episode ops * width.
std::unique_ptr<PlacementNet::Pass> make_placeto_actor(const PlacetoSizes& sizes,
                                                       const doppler::ParameterLayout& layout,
                                                       const NetGraph& graph,
                                                       const float* weights);

}  // namespace berth::learned

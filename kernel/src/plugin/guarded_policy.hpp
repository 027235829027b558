// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/placement_policy.hpp"
#include "berth/trainable_policy.hpp"

#include "plugin_object.hpp"

namespace berth::internal {

/// Policies whose every call is guarded() and whose every answer is checked: an illegal placement,
/// a number that is not finite or an array of another size is a PluginError that names the plugin,
/// the op or position, and the value. The cost of a check is linear in the answer.
[[nodiscard]] std::unique_ptr<PlacementPolicy> guard_placement(
    std::unique_ptr<PluginObject> object);
[[nodiscard]] std::unique_ptr<TrainablePolicy> guard_trainable(
    std::unique_ptr<PluginObject> object);

}  // namespace berth::internal

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/strategy_planner.hpp"

#include "plugin_object.hpp"

namespace berth::internal {

/// A planner whose every call is guarded() and whose plans are checked: an illegal plan, too many
/// of them, or a time that is not finite is a PluginError that names the plugin. Cost linear in the
/// answer.
[[nodiscard]] std::unique_ptr<StrategyPlanner> guard_planner(std::unique_ptr<PluginObject> object);

}  // namespace berth::internal

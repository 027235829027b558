// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/operator_scheduler.hpp"

#include "plugin_object.hpp"

namespace berth::internal {

/// An operator scheduler whose every call is guarded() and whose schedules are played: an illegal
/// one is a PluginError that names the plugin.
[[nodiscard]] std::unique_ptr<OperatorScheduler> guard_operators(
    std::unique_ptr<PluginObject> object);

}  // namespace berth::internal

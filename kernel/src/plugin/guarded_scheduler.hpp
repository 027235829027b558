// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/cluster_scheduler.hpp"

#include "plugin_object.hpp"

namespace berth::internal {

/// A scheduler whose every call is guarded(). What a legal round is depends on who plays it: the
/// simulators check every answer.
[[nodiscard]] std::unique_ptr<ClusterScheduler> guard_scheduler(
    std::unique_ptr<PluginObject> object);

}  // namespace berth::internal

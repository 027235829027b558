// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/device_executor.hpp"
#include "berth/rank_executor.hpp"

#include "plugin_object.hpp"

namespace berth::internal {

/// Opens an executor for a problem by the factory that `factory` is. Its every call is guarded();
/// placements are checked before they reach it, measurements before they leave it.
[[nodiscard]] std::unique_ptr<DeviceExecutor> open_guarded(std::unique_ptr<PluginObject> factory,
                                                           const PlacementProblem& problem);
/// Likewise, by a RankExecutorFactory.
[[nodiscard]] std::unique_ptr<DeviceExecutor> open_guarded(std::unique_ptr<PluginObject> factory,
                                                           const PlacementProblem& problem,
                                                           PeerGroup& group);

}  // namespace berth::internal

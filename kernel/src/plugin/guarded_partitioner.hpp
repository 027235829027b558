// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/graph_partitioner.hpp"

#include "plugin_object.hpp"

namespace berth::internal {

/// A partitioner whose every call is guarded() and whose plan is scored anew: an illegal plan, one
/// that does not fit, or neither plan nor reason is a PluginError that names the plugin.
[[nodiscard]] std::unique_ptr<GraphPartitioner> guard_partitioner(
    std::unique_ptr<PluginObject> object);

}  // namespace berth::internal

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/training_job.hpp"

#include "plugin_object.hpp"

namespace berth::internal {

/// A training job whose every call is guarded() and whose answers are checked: sizes above zero,
/// tensors with unique names and whole shapes, no more steps than ordered. Numbers that training
/// made, which may diverge, are the caller's to judge.
[[nodiscard]] std::unique_ptr<TrainingJob> guard_training_job(std::unique_ptr<PluginObject> object);

}  // namespace berth::internal

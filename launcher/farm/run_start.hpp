// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "berth/logger.hpp"

#include "checkpoints/checkpoint.hpp"
#include "folder_lock.hpp"

namespace berth::launcher {

/// Makes a run's folder, takes its lock, and reads the checkpoint to continue from: none for a new
/// run, or where there is none yet, which is logged ("starting from <unit> 0").
///
/// @throws InputError if the folder cannot be made, is in use or, without `resume`, is not empty;
/// CheckpointError as RunFolder::load_latest().
[[nodiscard]] std::optional<checkpoints::Checkpoint> open_run_folder(
    const std::filesystem::path& folder,
    bool resume,
    std::string_view unit,
    std::optional<FolderLock>& lock,
    Logger& logger);

}  // namespace berth::launcher

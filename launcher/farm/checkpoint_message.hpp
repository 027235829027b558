// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "checkpoints/checkpoint.hpp"
#include "mpi_session.hpp"

namespace berth::launcher {

/// Gives rank 0's checkpoint, or its absence, to every rank: only rank 0 reads files.
void share_checkpoint(MpiSession& session, std::optional<checkpoints::Checkpoint>& checkpoint);

}  // namespace berth::launcher

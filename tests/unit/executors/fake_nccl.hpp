// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

namespace berth::testing {

/// NCCL as the driver of executor `cuda` calls it, between threads that are ranks, each with a fake
/// CUDA of its own. Whatever a stream is given runs at once: a send waits for its receive and the
/// other way round, as their GPUs would. It refuses what NCCL refuses, two ranks of a communicator
/// on one GPU, and notes what NCCL would not notice: sizes that differ, a stream of another GPU
/// than the communicator's, calls that block for ever where the other rank is gone.
struct FakeNccl {
  std::size_t transfers = 0;
  std::size_t communicators = 0;  ///< Made so far, by pairs.
  bool is_broken = false;         ///< Communicators report that the remote end is gone.
};

/// The one of the process. Starts anew. @pre no thread uses it.
FakeNccl& fresh_fake_nccl();

}  // namespace berth::testing

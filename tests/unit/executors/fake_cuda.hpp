// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace berth::testing {

/// CUDA's runtime and cuBLAS as the driver of executor `cuda` calls them, on the host: everything
/// runs at once, in the order of the calls. It watches what CUDA would refuse or, worse, not
/// notice: streams, events and memory of a GPU that is not current, events that were not recorded,
/// captures that some stream is not part of, what is never freed.
struct FakeCuda {
  int gpus = 1;
  int first_gpu = 0;  ///< Number of its first GPU among those of all machines.
  bool has_driver = true;
  std::vector<std::string> faults;  ///< What was done wrong.
  std::size_t held_copies = 0;      ///< Copies made to last.
  std::size_t peer_copies = 0;      ///< Copies between GPUs.
  std::size_t replays = 0;          ///< Of captured graphs.
  std::size_t communicators = 0;    ///< Of NCCL, that were not aborted.

  /// Streams, events, handles, graphs and blocks of memory that were made and not destroyed.
  [[nodiscard]] std::size_t alive() const;
};

/// The one of the thread, which stands for a process. Starts anew, all GPUs idle and empty. @pre
/// nothing is alive.
FakeCuda& fresh_fake_cuda();

}  // namespace berth::testing

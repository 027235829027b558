// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What the files of the fake CUDA share.

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

#include "fake_cuda.hpp"

struct CUstream_st {
  int gpu = 0;
  bool captures = false;
  std::size_t calls = 0;   ///< While it captures.
  std::size_t joined = 0;  ///< Of these, what the origin waits for.
};
struct CUevent_st {
  int gpu = 0;
  bool is_timed = true;
  bool recorded = false;
  bool captured = false;
  double seconds = 0.0;
  CUstream_st* stream = nullptr;
  std::size_t calls = 0;
};
struct CUgraph_st {
  std::vector<std::function<void()>> calls;
};
struct CUgraphExec_st {
  CUgraph_st graph;
};
struct ncclComm;
struct cublasContext {
  int gpu = 0;
  CUstream_st* stream = nullptr;
  bool has_workspace = false;
};

namespace berth::testing::fake_cuda {

extern thread_local FakeCuda fake;
extern thread_local int current;     ///< GPU
extern thread_local double seconds;  ///< Since the start, of the GPUs.

/// Notes what was done wrong.
void fault(const std::string& what);

/// Faults unless the memory lies on that GPU; -1: on the host.
void expect_memory(const void* memory, int gpu, const char* what);

/// Runs or keeps what is put on a stream. Waits alone may be put on streams of any GPU (CUDA C++
/// Programming Guide, "Stream and Event Behavior").
void put(CUstream_st* stream,
         const char* what,
         std::function<void()> call,
         bool needs_current = true);

/// An object of CUDA that was made, or is destroyed.
void made(cublasContext* handle);
void destroyed(cublasContext* handle);
void made(ncclComm* communicator);
void destroyed(ncclComm* communicator);

}  // namespace berth::testing::fake_cuda

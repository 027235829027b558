// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda_kernels.hpp"

namespace berth::executors {
namespace {

constexpr unsigned kBlock = 256;
constexpr unsigned kWarp = 32;
constexpr std::uint64_t kMostBlocks = 16384;  // the rest by strides over the grid

__device__ unsigned long long nanoseconds_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void map_kernel(const MapCall call) {
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t point = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       point < call.points;
       point += stride) {
    map_point(call, point);
  }
}

/// One thread a point: for short rows, and where neighbouring points lie beside each other.
__global__ void reduce_by_thread(const ReduceCall call) {
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t point = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       point < call.points;
       point += stride) {
    call.out[offsets_of(call.nest, point).out] = reduce_lane(call, point, 0, 1);
  }
}

/// One warp a point.
__global__ void reduce_by_warp(const ReduceCall call) {
  const unsigned lane = threadIdx.x % kWarp;
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * (blockDim.x / kWarp);
  for (std::uint64_t point =
           static_cast<std::uint64_t>(blockIdx.x) * (blockDim.x / kWarp) + threadIdx.x / kWarp;
       point < call.points;
       point += stride) {
    float result = reduce_lane(call, point, lane, kWarp);
    for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
      const float other = __shfl_down_sync(0xffffffffU, result, distance);
      result = call.is_sum ? result + other : greater_of(result, other);
    }
    if (lane == 0) {
      call.out[offsets_of(call.nest, point).out] = result;
    }
  }
}

__global__ void spin_kernel(std::uint64_t rounds,
                            const volatile int* cancelled,
                            float* out,
                            float value) {
  constexpr std::uint64_t kChunk = 16384;  // some 40 us between two looks at the host's memory
  float a = 1.0F;
  while (rounds > 0 && *cancelled == 0) {
    const std::uint64_t chunk = rounds < kChunk ? rounds : kChunk;
    for (std::uint64_t i = 0; i < chunk; ++i) {
      a = fmaf(a, 0.999999F, 1e-6F);
    }
    rounds -= chunk;
  }
  *out = a == 0.0F ? 0.0F : value;  // never 0, which the compiler does not know
}

__global__ void stamp_kernel(unsigned long long* slot) {
  *slot = nanoseconds_now();
}

__global__ void hold_kernel(const unsigned long long* slot,
                            unsigned long long nanoseconds,
                            const volatile int* cancelled) {
  const unsigned long long until = *slot + nanoseconds;
  for (unsigned looks = 1; nanoseconds_now() < until; ++looks) {
    if (looks % 1024 == 0 && *cancelled != 0) {
      return;
    }
  }
}

__global__ void await_kernel(const volatile unsigned long long* flag,
                             unsigned long long number,
                             const volatile int* cancelled) {
  for (unsigned looks = 1; *flag < number; ++looks) {
    if (looks % 64 == 0 && *cancelled != 0) {
      break;
    }
#if __CUDA_ARCH__ >= 700
    __nanosleep(200);  // a look goes over the bus, which others use
#endif
  }
  __threadfence_system();
}

__global__ void signal_kernel(volatile unsigned long long* flag, unsigned long long number) {
  __threadfence_system();
  *flag = number;
}

unsigned blocks_for(std::uint64_t points, unsigned points_a_block) {
  const std::uint64_t blocks = (points + points_a_block - 1) / points_a_block;
  return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

}  // namespace

void launch_map(const MapCall& call, cudaStream_t stream) {
  if (call.points > 0) {
    map_kernel<<<blocks_for(call.points, kBlock), kBlock, 0, stream>>>(call);
  }
}

void launch_reduce(const ReduceCall& call, cudaStream_t stream) {
  if (call.points == 0) {
    return;
  }
  const LoopNest& nest = call.nest;
  const LoopNest& reduced = call.reduced;
  const bool points_are_neighbours =
      nest.depth > 0 && nest.stride[1][nest.depth - 1] == 1 &&
      (reduced.depth == 0 || reduced.stride[1][reduced.depth - 1] != 1);
  if (call.reduced_points < kWarp || points_are_neighbours) {
    reduce_by_thread<<<blocks_for(call.points, kBlock), kBlock, 0, stream>>>(call);
  } else {
    reduce_by_warp<<<blocks_for(call.points, kBlock / kWarp), kBlock, 0, stream>>>(call);
  }
}

void launch_spin(std::uint64_t rounds,
                 const volatile int* cancelled,
                 float* out,
                 float value,
                 cudaStream_t stream) {
  spin_kernel<<<1, 1, 0, stream>>>(rounds, cancelled, out, value);
}

void launch_stamp(unsigned long long* slot, cudaStream_t stream) {
  stamp_kernel<<<1, 1, 0, stream>>>(slot);
}

void launch_hold(const unsigned long long* slot,
                 unsigned long long nanoseconds,
                 const volatile int* cancelled,
                 cudaStream_t stream) {
  hold_kernel<<<1, 1, 0, stream>>>(slot, nanoseconds, cancelled);
}

void launch_await(const volatile unsigned long long* flag,
                  unsigned long long number,
                  const volatile int* cancelled,
                  cudaStream_t stream) {
  await_kernel<<<1, 1, 0, stream>>>(flag, number, cancelled);
}

void launch_signal(volatile unsigned long long* flag,
                   unsigned long long number,
                   cudaStream_t stream) {
  signal_kernel<<<1, 1, 0, stream>>>(flag, number);
}

}  // namespace berth::executors

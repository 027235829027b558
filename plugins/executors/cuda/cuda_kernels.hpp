// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel_call.hpp"

namespace berth::executors {

/// Each puts one kernel on a stream of the current device; errors are left to cudaGetLastError().
void launch_map(const MapCall& call, cudaStream_t stream);
void launch_reduce(const ReduceCall& call, cudaStream_t stream);

/// Dependent arithmetic on one thread; ends early when `*cancelled` becomes 1. Then *out = value.
void launch_spin(std::uint64_t rounds,
                 const volatile int* cancelled,
                 float* out,
                 float value,
                 cudaStream_t stream);

/// Keeps the device's nanosecond clock in *slot.
void launch_stamp(unsigned long long* slot, cudaStream_t stream);
/// Ends no earlier than `nanoseconds` after *slot, unless `*cancelled` becomes 1.
void launch_hold(const unsigned long long* slot,
                 unsigned long long nanoseconds,
                 const volatile int* cancelled,
                 cudaStream_t stream);

/// Ends when the number at `flag`, in the host's memory, is at least `number`, or `*cancelled`
/// is 1.
void launch_await(const volatile unsigned long long* flag,
                  unsigned long long number,
                  const volatile int* cancelled,
                  cudaStream_t stream);
/// Puts a number there, after all that is before it on the stream.
void launch_signal(volatile unsigned long long* flag,
                   unsigned long long number,
                   cudaStream_t stream);

}  // namespace berth::executors

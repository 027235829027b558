// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// cuBLAS, and the kernels of the driver, on the host.

#include <bit>
#include <chrono>
#include <cstdint>
#include <thread>

#include "cuda/cuda_kernels.hpp"
#include "fake_cuda_state.hpp"

using namespace berth::testing::fake_cuda;  // NOLINT(google-build-using-namespace)

namespace {

/// To the nearest float with so many bits of mantissa, ties to even.
float rounded_to(int mantissa_bits, float value) {
  const int dropped = 23 - mantissa_bits;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t half = (1U << (dropped - 1)) - 1 + (bits >> dropped & 1U);
  return std::bit_cast<float>((bits + half) >> dropped << dropped);
}

float operand(cublasComputeType_t type, float value) {
  return type == CUBLAS_COMPUTE_32F_FAST_TF32   ? rounded_to(10, value)
         : type == CUBLAS_COMPUTE_32F_FAST_16BF ? rounded_to(7, value)
                                                : value;
}

}  // namespace

const char* cublasGetStatusString(cublasStatus_t) {
  return "an error of cuBLAS";
}
cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new cublasContext{current};
  made(*handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  destroyed(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  handle->has_workspace = false;  // as cuBLAS says
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, std::size_t) {
  expect_memory(workspace, handle->gpu, "a workspace");
  handle->has_workspace = true;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle,
                                          cublasOperation_t transa,
                                          cublasOperation_t transb,
                                          int m,
                                          int n,
                                          int k,
                                          const void* alpha,
                                          const void* any_a,
                                          cudaDataType type_a,
                                          int lda,
                                          long long stride_a,
                                          const void* any_b,
                                          cudaDataType type_b,
                                          int ldb,
                                          long long stride_b,
                                          const void* beta,
                                          void* any_c,
                                          cudaDataType type_c,
                                          int ldc,
                                          long long stride_c,
                                          int batch,
                                          cublasComputeType_t type,
                                          cublasGemmAlgo_t) {
  const auto* const a = static_cast<const float*>(any_a);
  const auto* const b = static_cast<const float*>(any_b);
  auto* const c = static_cast<float*>(any_c);
  if (type_a != CUDA_R_32F || type_b != CUDA_R_32F || type_c != CUDA_R_32F) {
    fault("a product of what is not float32 in memory");
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  const bool a_plain = transa == CUBLAS_OP_N;
  const bool b_plain = transb == CUBLAS_OP_N;
  if (lda < (a_plain ? m : k) || ldb < (b_plain ? k : n) || ldc < m || batch < 1) {
    fault("a product whose leading dimensions are too small");
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (!handle->has_workspace) {
    fault("a product without a workspace of its own");
  }
  for (const float* memory : {a, b, static_cast<const float*>(c)}) {
    expect_memory(memory, handle->gpu, "a matrix");
  }
  const float scale = *static_cast<const float*>(alpha);
  const float keep = *static_cast<const float*>(beta);
  put(handle->stream, "a product", [=] {
    for (long long p = 0; p < batch; ++p) {
      const float* const left = a + p * stride_a;
      const float* const right = b + p * stride_b;
      for (long long j = 0; j < n; ++j) {
        for (long long i = 0; i < m; ++i) {
          float sum = 0.0F;
          for (long long l = 0; l < k; ++l) {
            sum += operand(type, left[a_plain ? l * lda + i : i * lda + l]) *
                   operand(type, right[b_plain ? j * ldb + l : l * ldb + j]);
          }
          float& out = c[p * stride_c + j * ldc + i];
          out = scale * sum + (keep == 0.0F ? 0.0F : keep * out);
        }
      }
    }
  });
  return CUBLAS_STATUS_SUCCESS;
}

namespace berth::executors {

void launch_map(const MapCall& call, cudaStream_t stream) {
  expect_memory(call.out, stream->gpu, "an output");
  expect_memory(call.x, stream->gpu, "an operand");
  expect_memory(call.y, stream->gpu, "an operand");
  put(stream, "a kernel", [call] {
    for (std::uint64_t point = 0; point < call.points; ++point) {
      map_point(call, point);
    }
  });
}
void launch_reduce(const ReduceCall& call, cudaStream_t stream) {
  expect_memory(call.out, stream->gpu, "an output");
  expect_memory(call.x, stream->gpu, "an operand");
  put(stream, "a kernel", [call] {
    for (std::uint64_t point = 0; point < call.points; ++point) {
      call.out[offsets_of(call.nest, point).out] = reduce_lane(call, point, 0, 1);
    }
  });
}
void launch_spin(std::uint64_t rounds,
                 const volatile int* cancelled,
                 float* out,
                 float value,
                 cudaStream_t stream) {
  expect_memory(const_cast<const int*>(cancelled), -1, "a flag");
  expect_memory(out, stream->gpu, "an output");
  put(stream, "a spin", [=] {
    seconds += 1e-9 * static_cast<double>(rounds);
    *out = value;
  });
}
void launch_stamp(unsigned long long* slot, cudaStream_t stream) {
  expect_memory(slot, stream->gpu, "a stamp");
  put(stream, "a stamp", [slot] { *slot = 1; });
}
void launch_hold(const unsigned long long* slot,
                 unsigned long long nanoseconds,
                 const volatile int*,
                 cudaStream_t stream) {
  expect_memory(slot, stream->gpu, "a stamp");
  put(stream, "a hold", [=] {
    fake.held_copies += *slot;
    seconds += 1e-9 * static_cast<double>(nanoseconds);
  });
}

void launch_await(const volatile unsigned long long* flag,
                  unsigned long long number,
                  const volatile int* cancelled,
                  cudaStream_t stream) {
  expect_memory(const_cast<const unsigned long long*>(flag), -1, "a number");
  expect_memory(const_cast<const int*>(cancelled), -1, "a flag");
  put(stream, "a wait for a number", [=] {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (__atomic_load_n(flag, __ATOMIC_SEQ_CST) < number && *cancelled == 0) {
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() > limit) {
        return fault("a number that never comes");
      }
    }
  });
}
void launch_signal(volatile unsigned long long* flag,
                   unsigned long long number,
                   cudaStream_t stream) {
  expect_memory(const_cast<const unsigned long long*>(flag), -1, "a number");
  put(stream, "a signal", [=] { __atomic_store_n(flag, number, __ATOMIC_SEQ_CST); });
}

}  // namespace berth::executors

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda_driver.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "cuda_check.hpp"
#include "cuda_kernels.hpp"
#include "product_precision.hpp"

namespace berth::executors {
std::uint32_t count_gpus() {
  int gpus = 0;
  const cudaError_t status = cudaGetDeviceCount(&gpus);
  if (status != cudaSuccess || gpus == 0) {
    const std::string why = status == cudaSuccess ? "none is visible" : cudaGetErrorString(status);
    throw PluginError("no GPU can be used: " + why + " (CUDA runtime " +
                      std::to_string(CUDART_VERSION / 1000) + "." +
                      std::to_string(CUDART_VERSION % 1000 / 10) +
                      "); expected a GPU, and an NVIDIA driver for that version or newer");
  }
  return static_cast<std::uint32_t>(gpus);
}

CudaDriver::CudaDriver(const CudaSettings& settings) : settings_(settings) {
  const std::uint32_t here = count_gpus() - settings.first_gpu;
  const std::uint32_t found = settings.gpus > 0 ? std::min(settings.gpus, here) : here;
  const std::uint32_t offered = settings.logical > 0 ? settings.logical : found;
  if (settings.devices > offered) {
    const std::uint32_t all = std::max(settings.devices, settings.all_devices);
    throw RunError(
        "cuda: the topology has " + std::to_string(all) + " devices, " +
        (all > settings.devices ? std::to_string(settings.devices) + " of them for this rank, "
                                : std::string()) +
        (settings.logical > 0 ? "logical is " : "GPUs here: ") + std::to_string(offered) +
        "; expected as many, for example cuda(logical=" + std::to_string(all) + ")");
  }
  const std::uint32_t shared = settings.logical > 0 ? settings.logical : settings.devices;
  try {
    gpus_.resize(std::min(found, shared));
    for (std::uint32_t g = 0; g < gpus_.size(); ++g) {
      gpus_[g].number = static_cast<int>(settings.first_gpu + g);
      use_gpu(gpus_[g].number);
      check(cudaEventCreate(&gpus_[g].base), "cudaEventCreate");
    }
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, gpus_[0].number), "cudaGetDeviceProperties");
    gpu_name_ = properties.name;
    void* flag = nullptr;
    check(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable),
          "cudaHostAlloc");
    cancelled_ = static_cast<int*>(flag);
    *cancelled_ = 0;
    for (std::uint32_t d = 0; d < settings.devices; ++d) {
      const Gpu& gpu = gpus_[d * gpus_.size() / shared];
      devices_.push_back(std::make_unique<CudaDevice>(gpu.number, settings));
    }
    open_peers();
    calibrate_spin();
  } catch (...) {
    free_all();
    throw;
  }
}

CudaDriver::~CudaDriver() {
  free_all();
}

void CudaDriver::free_all() noexcept {
  drop_graph();
  devices_.clear();
  for (const Gpu& gpu : gpus_) {
    cudaSetDevice(gpu.number);
    for (cudaEvent_t event : gpu.events) {
      cudaEventDestroy(event);
    }
    if (gpu.base != nullptr) {
      cudaEventDestroy(gpu.base);
    }
  }
  for (cudaEvent_t event : capture_events_) {
    cudaEventDestroy(event);
  }
  cudaFreeHost(cancelled_);
}

void CudaDriver::use_gpu(int gpu) {
  // Not remembered: another driver of this thread may have chosen another one meanwhile.
  check(cudaSetDevice(gpu), "cudaSetDevice");
}

void CudaDriver::use(std::uint32_t device) {
  use_gpu(devices_[device]->gpu());
}

void CudaDriver::open_peers() {
  for (const Gpu& a : gpus_) {
    use_gpu(a.number);
    for (const Gpu& b : gpus_) {
      int can = 0;
      if (a.number == b.number) {
        continue;
      }
      check(cudaDeviceCanAccessPeer(&can, a.number, b.number), "cudaDeviceCanAccessPeer");
      peers_ = peers_ && can != 0;
      if (can == 0) {
        continue;  // such copies go through the host's memory
      }
      const cudaError_t status = cudaDeviceEnablePeerAccess(b.number, 0);
      if (status == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();  // another driver of this process did
      } else {
        check(status, "cudaDeviceEnablePeerAccess");
      }
    }
  }
}

void CudaDriver::calibrate_spin() {
  constexpr std::uint64_t kRounds = std::uint64_t{1} << 20U;
  use(0);
  float* const out = allocate(0, sizeof(float));
  const cudaStream_t stream = devices_[0]->stream(0);
  cudaEvent_t ends[2] = {nullptr, nullptr};
  float least = INFINITY;
  try {
    check(cudaEventCreate(&ends[0]), "cudaEventCreate");
    check(cudaEventCreate(&ends[1]), "cudaEventCreate");
    for (int run = 0; run < 20; ++run) {  // the first loads the kernel, and clocks rise
      check(cudaEventRecord(ends[0], stream), "cudaEventRecord");
      launch_spin(kRounds, cancelled_, out, 1.0F, stream);
      check(cudaGetLastError(), "spin kernel");
      check(cudaEventRecord(ends[1], stream), "cudaEventRecord");
      check(cudaEventSynchronize(ends[1]), "cudaEventSynchronize");
      float milliseconds = 0.0F;
      check(cudaEventElapsedTime(&milliseconds, ends[0], ends[1]), "cudaEventElapsedTime");
      least = std::min(least, milliseconds);
    }
  } catch (...) {
    cudaEventDestroy(ends[0]);
    cudaEventDestroy(ends[1]);
    release(0, out);
    throw;
  }
  cudaEventDestroy(ends[0]);
  cudaEventDestroy(ends[1]);
  release(0, out);
  rounds_per_second_ = static_cast<double>(kRounds) / (1e-3 * static_cast<double>(least));
}

float* CudaDriver::allocate(std::uint32_t device, std::uint64_t bytes) {
  use(device);
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw std::bad_alloc();
  }
  check(status, "cudaMalloc");
  return static_cast<float*>(memory);
}

void CudaDriver::release(std::uint32_t device, float* memory) noexcept {
  if (devices_.size() > device) {
    cudaSetDevice(devices_[device]->gpu());
  }
  cudaFree(memory);
}

void CudaDriver::write(std::uint32_t device, float* to, std::span<const float> values) {
  use(device);
  check(cudaMemcpy(to, values.data(), values.size_bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
}

void CudaDriver::read(std::uint32_t device, const float* from, std::span<float> values) {
  use(device);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  check(cudaMemcpy(values.data(), from, values.size_bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
}

std::uint32_t CudaDriver::pool_of(std::uint32_t device) const {
  return static_cast<std::uint32_t>(devices_[device]->gpu());
}

double CudaDriver::available(std::uint32_t pool) {
  use_gpu(static_cast<int>(pool));
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
  return static_cast<double>(free_bytes);
}

std::string CudaDriver::pool_name(std::uint32_t pool) const {
  return "GPU " + std::to_string(pool);
}

void CudaDriver::make_events(std::span<const std::uint32_t> device) {
  for (Gpu& gpu : gpus_) {
    gpu.events_used = 0;
  }
  event_device_.assign(device.begin(), device.end());
  events_.clear();
  for (const std::uint32_t d : device) {
    Gpu& gpu = shared_by(d);
    if (gpu.events_used == gpu.events.size()) {
      use(d);
      cudaEvent_t event = nullptr;
      check(cudaEventCreate(&event), "cudaEventCreate");
      gpu.events.push_back(event);
    }
    events_.push_back(gpu.events[gpu.events_used++]);
  }
}

void CudaDriver::launch(StreamId stream, std::span<const KernelCall> calls) {
  use(stream.device);
  for (const KernelCall& call : calls) {
    std::visit([&](const auto& one) { run(stream, one); }, call);
  }
}

void CudaDriver::run(StreamId stream, const MapCall& call) {
  launch_map(call, stream_of(stream));
  check(cudaGetLastError(), "map kernel");
}

void CudaDriver::run(StreamId stream, const ReduceCall& call) {
  launch_reduce(call, stream_of(stream));
  check(cudaGetLastError(), "reduce kernel");
}

void CudaDriver::run(StreamId stream, const ProductCall& call) {
  // Column-major C^T = B^T A^T is row-major C = A B.
  const float one = 1.0F;
  const float beta = call.accumulate ? 1.0F : 0.0F;
  check(cublasGemmStridedBatchedEx(devices_[stream.device]->handle(stream.number),
                                   call.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                                   call.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                                   static_cast<int>(call.n),
                                   static_cast<int>(call.m),
                                   static_cast<int>(call.k),
                                   &one,
                                   call.b,
                                   CUDA_R_32F,
                                   static_cast<int>(call.ldb),
                                   static_cast<long long>(call.stride_b),
                                   call.a,
                                   CUDA_R_32F,
                                   static_cast<int>(call.lda),
                                   static_cast<long long>(call.stride_a),
                                   &beta,
                                   call.c,
                                   CUDA_R_32F,
                                   static_cast<int>(call.ldc),
                                   static_cast<long long>(call.stride_c),
                                   static_cast<int>(call.batch),
                                   type_of(settings_.products).compute,
                                   CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
}

void CudaDriver::run(StreamId stream, const SpinCall& call) {
  const auto rounds =
      static_cast<std::uint64_t>(std::llround(std::max(0.0, call.seconds) * rounds_per_second_));
  launch_spin(rounds, cancelled_, call.out, call.value, stream_of(stream));
  check(cudaGetLastError(), "spin kernel");
}

void CudaDriver::copy(StreamId stream, const CopyCall& call) {
  use(stream.device);
  if (call.least_seconds > 0.0) {
    put_stamp(stream);
  }
  const cudaStream_t on = stream_of(stream);
  const int from = gpu_of(call.from_device);
  const int to = gpu_of(call.to_device);
  if (from == to) {
    check(cudaMemcpyAsync(call.to, call.from, call.bytes, cudaMemcpyDeviceToDevice, on),
          "cudaMemcpyAsync");
  } else {
    check(cudaMemcpyPeerAsync(call.to, to, call.from, from, call.bytes, on), "cudaMemcpyPeerAsync");
  }
  if (call.least_seconds > 0.0) {
    put_hold(stream, call.least_seconds);
  }
}

void CudaDriver::hold(StreamId stream, double seconds) {
  use(stream.device);
  put_stamp(stream);
  put_hold(stream, seconds);
}

void CudaDriver::put_stamp(StreamId stream) {
  launch_stamp(devices_[stream.device]->stamp(stream.number), stream_of(stream));
  check(cudaGetLastError(), "stamp kernel");
}

void CudaDriver::put_hold(StreamId stream, double seconds) {
  launch_hold(devices_[stream.device]->stamp(stream.number),
              static_cast<unsigned long long>(std::llround(1e9 * seconds)),
              cancelled_,
              stream_of(stream));
  check(cudaGetLastError(), "hold kernel");
}

void CudaDriver::record(StreamId stream, std::uint32_t event) {
  use(stream.device);
  check(cudaEventRecord(events_[event], stream_of(stream)), "cudaEventRecord");
}

void CudaDriver::wait(StreamId stream, std::uint32_t event) {
  use(stream.device);
  check(cudaStreamWaitEvent(stream_of(stream), events_[event], 0), "cudaStreamWaitEvent");
}

bool CudaDriver::finished(std::uint32_t event) {
  const cudaError_t status = cudaEventQuery(events_[event]);
  if (status == cudaErrorNotReady) {
    return false;
  }
  check(status, "a kernel or copy of the run, seen by cudaEventQuery");
  return true;
}

void CudaDriver::synchronize() {
  for (const Gpu& gpu : gpus_) {
    use_gpu(gpu.number);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
}

void CudaDriver::cancel() {
  *static_cast<volatile int*>(cancelled_) = 1;
}

void CudaDriver::start_clock() {
  synchronize();
  *static_cast<volatile int*>(cancelled_) = 0;
  std::vector<char> begun(gpus_.size(), 0);
  double first = 0.0;
  for (std::uint32_t d = 0; d < devices_.size(); ++d) {
    Gpu& gpu = shared_by(d);
    char& has_begun = begun[static_cast<std::size_t>(&gpu - gpus_.data())];
    if (has_begun != 0) {
      continue;
    }
    has_begun = 1;
    use(d);
    // The GPU is idle: it reaches the event some microseconds after the call, each GPU alike.
    const double at = now();
    check(cudaEventRecord(gpu.base, devices_[d]->stream(0)), "cudaEventRecord");
    first = d == 0 ? at : first;
    gpu.base_seconds = at - first;
  }
}

double CudaDriver::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double CudaDriver::event_seconds(std::uint32_t event) {
  const Gpu& gpu = shared_by(event_device_[event]);
  float milliseconds = 0.0F;
  check(cudaEventElapsedTime(&milliseconds, gpu.base, events_[event]), "cudaEventElapsedTime");
  return gpu.base_seconds + 1e-3 * static_cast<double>(milliseconds);
}

std::string CudaDriver::description() const {
  const auto plural = [](std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
  };
  std::string text = settings_.logical > 0
                         ? plural(devices_.size(), "logical device") + " emulated on " +
                               plural(gpus_.size(), "GPU") + " (" + gpu_name_ + ")"
                         : plural(devices_.size(), "GPU") + " (" + gpu_name_ + ")";
  if (gpus_.size() > 1) {
    text += peers_ ? " with peer access" : ", some pairs without peer access: copies by the host";
  }
  return text + type_of(settings_.products).words;
}

}  // namespace berth::executors

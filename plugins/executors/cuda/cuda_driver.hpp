// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cuda_device.hpp"
#include "cuda_library.hpp"

namespace berth::executors {

/// GPUs that this process sees. @throws PluginError if there is none.
[[nodiscard]] std::uint32_t count_gpus();

/// NVIDIA GPUs behind the seam of the scheduling core.
class CudaDriver final : public DeviceDriver {
 public:
  /// @throws PluginError without a driver or a GPU, RunError if there are too few.
  explicit CudaDriver(const CudaSettings& settings);
  ~CudaDriver() override;

  float* allocate(std::uint32_t device, std::uint64_t bytes) override;
  void release(std::uint32_t device, float* memory) noexcept override;
  void write(std::uint32_t device, float* to, std::span<const float> values) override;
  void read(std::uint32_t device, const float* from, std::span<float> values) override;
  std::uint32_t pool_of(std::uint32_t device) const override;
  double available(std::uint32_t pool) override;
  std::string pool_name(std::uint32_t pool) const override;

  void make_events(std::span<const std::uint32_t> device) override;
  void launch(StreamId stream, std::span<const KernelCall> calls) override;
  void copy(StreamId stream, const CopyCall& call) override;
  void record(StreamId stream, std::uint32_t event) override;
  void wait(StreamId stream, std::uint32_t event) override;
  bool finished(std::uint32_t event) override;
  void synchronize() override;
  void cancel() override;
  void start_clock() override;
  double now() override;
  double event_seconds(std::uint32_t event) override;
  void begin_capture() override;
  void end_capture() override;
  void replay(std::uint32_t event) override;
  std::string description() const override;

  // What a link between ranks puts halves of transfers with.

  /// Makes the GPU of a device the current one.
  void use(std::uint32_t device);
  [[nodiscard]] int gpu_of(std::uint32_t device) const { return devices_[device]->gpu(); }
  [[nodiscard]] cudaStream_t stream_of(StreamId stream) const {
    return devices_[stream.device]->stream(stream.number);
  }
  /// What is put on `stream` from now on starts no earlier than so long after what is before it.
  void hold(StreamId stream, double seconds);
  /// 1 between cancel() and start_clock(); read by kernels that wait.
  [[nodiscard]] const volatile int* cancelled() const noexcept { return cancelled_; }

 private:
  /// What the devices on one GPU share.
  struct Gpu {
    int number = 0;                   ///< Of CUDA.
    std::vector<cudaEvent_t> events;  ///< Made so far; they stay.
    std::size_t events_used = 0;
    cudaEvent_t base = nullptr;  ///< Recorded by start_clock().
    double base_seconds = 0.0;   ///< When, after the first GPU's.
  };

  void use_gpu(int gpu);
  [[nodiscard]] Gpu& shared_by(std::uint32_t device) {
    return gpus_[static_cast<std::size_t>(gpu_of(device)) - settings_.first_gpu];
  }
  void put_stamp(StreamId stream);
  void put_hold(StreamId stream, double seconds);
  [[nodiscard]] std::vector<cudaStream_t> other_streams() const;
  void run(StreamId stream, const MapCall& call);
  void run(StreamId stream, const ReduceCall& call);
  void run(StreamId stream, const ProductCall& call);
  void run(StreamId stream, const SpinCall& call);
  void open_peers();
  void calibrate_spin();
  void drop_graph() noexcept;
  void free_all() noexcept;

  CudaSettings settings_;
  std::vector<Gpu> gpus_;
  std::vector<std::unique_ptr<CudaDevice>> devices_;
  std::vector<cudaEvent_t> events_;          ///< [events]
  std::vector<std::uint32_t> event_device_;  ///< [events]
  std::vector<cudaEvent_t> capture_events_;  ///< One a stream, by GPU, and the fork.
  cudaGraphExec_t graph_ = nullptr;
  int* cancelled_ = nullptr;  ///< On the host, read by kernels.
  double rounds_per_second_ = 0.0;
  bool peers_ = true;
  std::string gpu_name_;
};

}  // namespace berth::executors

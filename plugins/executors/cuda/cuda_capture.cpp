// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// What a CudaDriver does to keep a run as a CUDA graph and to replay it.

#include "cuda_check.hpp"
#include "cuda_driver.hpp"

namespace berth::executors {

std::vector<cudaStream_t> CudaDriver::other_streams() const {
  std::vector<cudaStream_t> others;
  for (const auto& device : devices_) {
    for (cudaStream_t stream : device->streams()) {
      if (stream != devices_[0]->stream(0)) {
        others.push_back(stream);
      }
    }
  }
  return others;
}

void CudaDriver::begin_capture() {
  synchronize();
  drop_graph();
  if (capture_events_.empty()) {  // one for the fork, then one a stream, on its GPU
    for (std::uint32_t d = 0; d < devices_.size(); ++d) {
      use(d);
      for (std::size_t s = 0; s < devices_[d]->streams().size(); ++s) {
        cudaEvent_t event = nullptr;
        check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
        capture_events_.push_back(event);
      }
    }
  }
  use(0);
  const cudaStream_t origin = devices_[0]->stream(0);
  check(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  check(cudaEventRecord(capture_events_[0], origin), "cudaEventRecord");
  for (cudaStream_t stream : other_streams()) {
    check(cudaStreamWaitEvent(stream, capture_events_[0], 0), "cudaStreamWaitEvent");
  }
}

void CudaDriver::end_capture() {
  const cudaStream_t origin = devices_[0]->stream(0);
  std::size_t next = 0;
  for (std::uint32_t d = 0; d < devices_.size(); ++d) {
    use(d);
    for (cudaStream_t stream : devices_[d]->streams()) {
      const cudaEvent_t event = capture_events_[next++];
      if (stream != origin) {
        check(cudaEventRecord(event, stream), "cudaEventRecord");
        check(cudaStreamWaitEvent(origin, event, 0), "cudaStreamWaitEvent");
      }
    }
  }
  use(0);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(origin, &graph), "cudaStreamEndCapture");
  const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "cudaGraphInstantiate");
  check(cudaGraphUpload(graph_, origin), "cudaGraphUpload");
}

void CudaDriver::replay(std::uint32_t event) {
  use(0);
  const cudaStream_t origin = devices_[0]->stream(0);
  check(cudaGraphLaunch(graph_, origin), "cudaGraphLaunch");
  check(cudaEventRecord(events_[event], origin), "cudaEventRecord");
}

void CudaDriver::drop_graph() noexcept {
  if (graph_ != nullptr) {
    cudaGraphExecDestroy(graph_);
    graph_ = nullptr;
  }
}

}  // namespace berth::executors

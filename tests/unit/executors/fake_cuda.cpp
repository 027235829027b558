// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "fake_cuda.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "fake_cuda_state.hpp"

namespace berth::testing {
namespace fake_cuda {

thread_local FakeCuda fake;
thread_local int current = 0;
thread_local double seconds = 0.0;

namespace {

thread_local CUstream_st* origin = nullptr;  ///< Of the capture that goes on.
thread_local CUgraph_st capture;
thread_local std::set<CUstream_st*> streams;
thread_local std::set<CUevent_st*> events;
thread_local std::set<CUgraph_st*> graphs;
thread_local std::set<CUgraphExec_st*> runnables;
thread_local std::set<cublasContext*> handles;
thread_local std::map<const char*, std::pair<std::size_t, int>>
    blocks;  ///< Begin, bytes, GPU or -1: host.

}  // namespace

void fault(const std::string& what) {
  fake.faults.push_back(what);
}

namespace {

/// The GPU whose memory it is; -1: the host's, -2: nobody's.
int owner_of(const void* memory) {
  const auto* const at = static_cast<const char*>(memory);
  auto found = blocks.upper_bound(at);
  if (found == blocks.begin()) {
    return -2;
  }
  --found;
  return at < found->first + found->second.first ? found->second.second : -2;
}

}  // namespace

void expect_memory(const void* memory, int gpu, const char* what) {
  if (owner_of(memory) != gpu) {
    fault(std::string(what) + " of GPU " + std::to_string(owner_of(memory)) + ", not " +
          std::to_string(gpu));
  }
}

void put(CUstream_st* stream, const char* what, std::function<void()> call, bool needs_current) {
  if (streams.count(stream) == 0) {
    return fault(std::string(what) + " on no stream");
  }
  if (needs_current && stream->gpu != current) {
    fault(std::string(what) + " on a stream of a GPU that is not current");
  }
  if (origin != nullptr) {
    if (!stream->captures) {
      fault(std::string(what) + " on a stream that is not part of the capture");
    }
    ++stream->calls;
    capture.calls.push_back(std::move(call));
    return;
  }
  seconds += 1e-6;
  call();
}

namespace {

template <class Object>
void destroy(std::set<Object*>& all, Object* object, const char* what) {
  if (all.erase(object) == 0) {
    fault(std::string(what) + " that is not there is destroyed");
    return;
  }
  delete object;
}

}  // namespace

void made(cublasContext* handle) {
  handles.insert(handle);
}
void destroyed(cublasContext* handle) {
  destroy(handles, handle, "a cuBLAS handle");
}
void made(ncclComm*) {
  ++fake.communicators;
}
void destroyed(ncclComm*) {
  --fake.communicators;
}

}  // namespace fake_cuda

using namespace fake_cuda;  // NOLINT(google-build-using-namespace)

std::size_t FakeCuda::alive() const {
  return streams.size() + events.size() + graphs.size() + runnables.size() + handles.size() +
         blocks.size() + communicators;
}

FakeCuda& fresh_fake_cuda() {
  fake = {};
  current = 0;
  return fake;
}

}  // namespace berth::testing

using namespace berth::testing;             // NOLINT(google-build-using-namespace)
using namespace berth::testing::fake_cuda;  // NOLINT(google-build-using-namespace)

cudaError_t cudaGetDeviceCount(int* count) {
  *count = fake.gpus;
  return fake.has_driver ? cudaSuccess : cudaErrorInsufficientDriver;
}
cudaError_t cudaSetDevice(int device) {
  current = device;
  return device < fake.gpus ? cudaSuccess : cudaErrorInvalidDevice;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  std::strcpy(properties->name, "fake");
  properties->uuid.bytes[0] = static_cast<char>(fake.first_gpu + device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 9;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return cudaErrorPeerAccessAlreadyEnabled;
}
cudaError_t cudaDeviceSynchronize() {
  if (origin != nullptr) {
    fault("a wait for the GPU within a capture");
  }
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t status) {
  return status == cudaErrorInsufficientDriver ? "no driver" : "an error";
}
const char* cudaGetErrorName(cudaError_t) {
  return "cudaErrorFake";
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  blocks[static_cast<const char*>(*memory)] = {bytes, current};
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  if (memory != nullptr && blocks.erase(static_cast<const char*>(memory)) == 0) {
    fault("memory that is not there is freed");
    return cudaErrorInvalidValue;
  }
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::calloc(1, bytes);
  blocks[static_cast<const char*>(*memory)] = {bytes, -1};
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  blocks[static_cast<const char*>(memory)] = {bytes, -1};
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
  if (blocks.erase(static_cast<const char*>(memory)) == 0) {
    fault("memory that is not pinned is released");
  }
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** seen, void* memory, unsigned) {
  expect_memory(memory, -1, "memory of the host");
  *seen = memory;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  return cudaFree(memory);
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* all_bytes) {
  *free_bytes = *all_bytes = std::size_t{1} << 33U;
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  expect_memory(kind == cudaMemcpyHostToDevice ? to : from, current, "memory");
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(
    void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  expect_memory(to, kind == cudaMemcpyDeviceToHost ? -1 : current, "a copy's target");
  expect_memory(from, kind == cudaMemcpyHostToDevice ? -1 : current, "a copy's source");
  put(stream, "a copy", [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(
    void* to, int to_gpu, const void* from, int from_gpu, std::size_t bytes, cudaStream_t stream) {
  expect_memory(to, to_gpu, "a copy's target");
  expect_memory(from, from_gpu, "a copy's source");
  ++fake.peer_copies;
  put(stream, "a copy", [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  *stream = *streams.insert(new CUstream_st{current}).first;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  destroy(streams, stream, "a stream");
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = *events.insert(new CUevent_st{current}).first;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = *events.insert(new CUevent_st{current, flags != cudaEventDisableTiming}).first;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  destroy(events, event, "an event");
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event->gpu != stream->gpu) {
    fault("an event is recorded on another GPU");
    return cudaErrorInvalidResourceHandle;
  }
  put(stream, "an event", [] {});
  event->captured = origin != nullptr;
  event->recorded = origin == nullptr;
  event->seconds = seconds;
  event->stream = stream;
  event->calls = stream->calls;
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (origin != nullptr) {
    if (!event->captured) {
      fault("a capture waits for an event from outside");
    }
    stream->captures = true;
    if (stream == origin) {
      event->stream->joined = event->calls;
    }
  } else if (!event->recorded) {
    fault("an event is waited for before it is recorded");
  }
  put(
      stream, "a wait", [] {}, /*needs_current=*/false);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (!event->recorded) {
    fault("an event is asked for that was not recorded");
  }
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return cudaEventQuery(event);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const bool timed = begin->recorded && end->recorded && begin->is_timed && end->is_timed;
  if (!timed || begin->gpu != end->gpu) {
    fault("a time between events that have none, or of two GPUs");
    return cudaErrorInvalidResourceHandle;
  }
  *milliseconds = static_cast<float>(1e3 * (end->seconds - begin->seconds));
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  origin = stream;
  capture.calls.clear();
  for (CUstream_st* other : streams) {
    *other = {other->gpu};
  }
  stream->captures = true;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (stream != origin) {
    fault("a capture ends on another stream than it began");
  }
  for (CUstream_st* other : streams) {
    if (other != origin && other->calls != other->joined) {
      fault("a capture ends before a stream of it was joined");
    }
    other->captures = false;
  }
  origin = nullptr;
  *graph = *graphs.insert(new CUgraph_st(std::move(capture))).first;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* runnable, cudaGraph_t graph, unsigned long long) {
  *runnable = *runnables.insert(new CUgraphExec_st{*graph}).first;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  destroy(graphs, graph, "a graph");
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t runnable) {
  destroy(runnables, runnable, "a runnable graph");
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t runnable, cudaStream_t stream) {
  ++fake.replays;
  put(stream, "a graph", [runnable] {
    for (const auto& call : runnable->graph.calls) {
      call();
    }
  });
  return cudaSuccess;
}

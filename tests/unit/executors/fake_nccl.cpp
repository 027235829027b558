// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "fake_nccl.hpp"

#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "fake_cuda_state.hpp"

namespace berth::testing {
namespace {

/// What two ranks of a communicator share.
struct Channel {
  int gpu[2] = {-1, -1};  ///< Of all machines; -1: not there yet.
  const void* sent = nullptr;
  std::size_t bytes = 0;
  bool is_sent = false;
};

std::mutex nccl_lock;
std::condition_variable nccl_changed;
std::map<std::string, Channel> channels;
FakeNccl fake_nccl;
int next_id = 0;

}  // namespace

FakeNccl& fresh_fake_nccl() {
  fake_nccl = {};
  channels.clear();
  return fake_nccl;
}

}  // namespace berth::testing

using namespace berth::testing;             // NOLINT(google-build-using-namespace)
using namespace berth::testing::fake_cuda;  // NOLINT(google-build-using-namespace)

struct ncclComm {
  std::string id;
  int rank = 0;
  int gpu = 0;  ///< Of this machine.
};

namespace {

/// Waits as a GPU would for the other rank; not for ever, so that a test ends.
template <class Ready>
bool await_peer(std::unique_lock<std::mutex>& held, const Ready& ready) {
  const bool came = nccl_changed.wait_for(held, std::chrono::seconds(20), ready);
  if (!came) {
    fault("a transfer whose other half never comes");
  }
  return came;
}

void expect_own_gpu(const ncclComm& comm, cudaStream_t stream) {
  if (stream->gpu != comm.gpu || current != comm.gpu) {
    fault("a transfer on another GPU than its communicator's");
  }
}

}  // namespace

ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t result) {
  return result == ncclRemoteError ? "remote process exited" : "invalid usage";
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::lock_guard held(nccl_lock);
  std::memset(id->internal, 0, sizeof id->internal);
  std::strcpy(id->internal, std::to_string(next_id++).c_str());
  return ncclSuccess;
}
ncclResult_t ncclCommInitRankConfig(
    ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
  if (ranks != 2 || config->blocking != 0 || config->maxCTAs < 1) {
    fault("a communicator of other than two ranks, that blocks, or that takes the whole GPU");
  }
  const std::lock_guard held(nccl_lock);
  *comm = new ncclComm{id.internal, rank, current};
  made(*comm);
  channels[id.internal].gpu[rank] = fake.first_gpu + current;
  fake_nccl.communicators += rank == 0 ? 1 : 0;
  nccl_changed.notify_all();
  return ncclInProgress;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* result) {
  const std::lock_guard held(nccl_lock);
  const Channel& channel = channels[comm->id];
  *result = fake_nccl.is_broken                        ? ncclRemoteError
            : channel.gpu[0] == channel.gpu[1]         ? ncclInvalidUsage
            : channel.gpu[0] < 0 || channel.gpu[1] < 0 ? ncclInProgress
                                                       : ncclSuccess;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  destroyed(comm);
  delete comm;
  return ncclSuccess;
}
ncclResult_t ncclSend(const void* from,
                      std::size_t count,
                      ncclDataType_t,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream) {
  expect_own_gpu(*comm, stream);
  expect_memory(from, comm->gpu, "what is sent");
  if (peer != 1 || comm->rank != 0) {
    fault("the receiver of a pair sends");
  }
  put(stream, "a send", [=] {
    std::unique_lock held(nccl_lock);
    Channel& channel = channels[comm->id];
    channel.sent = from;
    channel.bytes = count;
    channel.is_sent = true;
    nccl_changed.notify_all();
    await_peer(held, [&] { return !channel.is_sent; });
  });
  return ncclInProgress;
}
ncclResult_t ncclRecv(
    void* to, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm, cudaStream_t stream) {
  expect_own_gpu(*comm, stream);
  expect_memory(to, comm->gpu, "what is received");
  if (peer != 0 || comm->rank != 1) {
    fault("the sender of a pair receives");
  }
  put(stream, "a receive", [=] {
    std::unique_lock held(nccl_lock);
    Channel& channel = channels[comm->id];
    if (!await_peer(held, [&] { return channel.is_sent; })) {
      return;
    }
    if (channel.bytes != count) {
      fault("a receive of another size than its send");
    }
    std::memcpy(to, channel.sent, std::min(count, channel.bytes));
    channel.is_sent = false;
    ++fake_nccl.transfers;
    nccl_changed.notify_all();
  });
  return ncclInProgress;
}

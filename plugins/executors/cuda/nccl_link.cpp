// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "nccl_link.hpp"

#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "berth/units.hpp"

#include "cuda_check.hpp"

namespace berth::executors {
namespace {

using Clock = std::chrono::steady_clock;

/// GPUs of the group between which something goes.
using GpuPair = std::pair<std::uint32_t, std::uint32_t>;

std::string nccl_version() {
  int version = 0;
  ncclGetVersion(&version);
  return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
}

class NcclLink final : public RankLink {
 public:
  NcclLink(CudaDriver& driver,
           PeerGroup& peers,
           const DeviceShare& share,
           std::span<const std::uint32_t> gpu_of)
      : driver_(driver), peers_(peers), share_(share), gpu_of_(gpu_of.begin(), gpu_of.end()) {}
  ~NcclLink() override { abort(); }

  void connect(std::span<const DevicePair> pairs) override;
  void send(StreamId stream, const float* from, const RankTransfer& transfer) override;
  void receive(StreamId stream, float* to, const RankTransfer& transfer) override;
  std::string failure() override;
  void abort() noexcept override;
  std::string description() const override { return nccl_version(); }

 private:
  struct Wire {
    ncclComm_t comm = nullptr;  ///< Null: of other ranks.
    std::uint32_t peer = 0;     ///< Rank.
  };

  [[nodiscard]] GpuPair gpus_of(DevicePair devices) const {
    return {gpu_of_[devices.from], gpu_of_[devices.to]};
  }
  [[nodiscard]] Wire open(const DevicePair& devices, const ncclUniqueId& id);
  [[nodiscard]] int blocks(std::uint32_t device) const;
  /// Waits until a call has ended. @throws RunError if it failed, or the peer does not answer.
  void complete(const Wire& wire, ncclResult_t result, const char* call) const;
  [[noreturn]] static void fail(const Wire& wire, const char* call, const std::string& why) {
    throw RunError("NCCL: " + std::string(call) + " with rank " + std::to_string(wire.peer) + ": " +
                   why);
  }

  CudaDriver& driver_;
  PeerGroup& peers_;
  DeviceShare share_;
  std::vector<std::uint32_t> gpu_of_;
  std::map<GpuPair, Wire> wires_;  ///< Of all ranks, so that all know which are new.
  bool is_aborted_ = false;
};

void NcclLink::connect(std::span<const DevicePair> pairs) {
  if (is_aborted_) {
    throw RunError("NCCL: transfers between ranks were given up; expected a new executor");
  }
  std::map<GpuPair, DevicePair> fresh;
  for (const DevicePair& devices : pairs) {
    if (wires_.count(gpus_of(devices)) == 0) {
      fresh.emplace(gpus_of(devices), devices);
    }
  }
  if (fresh.empty()) {
    return;
  }
  std::string ids;  // of the wires whose senders are here
  for (const auto& [gpus, devices] : fresh) {
    if (share_.owns(devices.from)) {
      ncclUniqueId id{};
      if (const ncclResult_t result = ncclGetUniqueId(&id); result != ncclSuccess) {
        fail({nullptr, share_.owner(devices.to)}, "ncclGetUniqueId", ncclGetErrorString(result));
      }
      ids.append(id.internal, sizeof id.internal);
    }
  }
  std::vector<std::string> all = peers_.all_gather(ids, "addresses of NCCL", 0.0);
  std::vector<std::size_t> next(all.size(), 0);
  // In one order on all ranks: each waits for its peer, which waits for earlier ones alone.
  for (const auto& [gpus, devices] : fresh) {
    const std::uint32_t sender = share_.owner(devices.from);
    ncclUniqueId id{};
    std::memcpy(id.internal, all[sender].data() + next[sender], sizeof id.internal);
    next[sender] += sizeof id.internal;
    const bool is_mine = share_.owns(devices.from) || share_.owns(devices.to);
    wires_[gpus] = is_mine ? open(devices, id) : Wire{};
  }
}

NcclLink::Wire NcclLink::open(const DevicePair& devices, const ncclUniqueId& id) {
  const bool sends = share_.owns(devices.from);
  const std::uint32_t device = share_.local(sends ? devices.from : devices.to);
  Wire wire;
  wire.peer = share_.owner(sends ? devices.to : devices.from);
  driver_.use(device);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;  // what a peer that is gone would otherwise block for ever
  config.minCTAs = 1;
  config.maxCTAs = blocks(device);
  const ncclResult_t result = ncclCommInitRankConfig(&wire.comm, 2, id, sends ? 0 : 1, &config);
  try {
    complete(wire, result, "ncclCommInitRankConfig");
  } catch (...) {
    if (wire.comm != nullptr) {
      ncclCommAbort(wire.comm);
    }
    throw;
  }
  return wire;
}

int NcclLink::blocks(std::uint32_t device) const {
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, driver_.gpu_of(device)),
        "cudaDeviceGetAttribute");
  const auto gpus = static_cast<int>(*std::ranges::max_element(gpu_of_)) + 1;
  return std::clamp(processors / 2 / (2 * gpus), 1, 16);
}

void NcclLink::complete(const Wire& wire, ncclResult_t result, const char* call) const {
  const auto begin = Clock::now();
  const double limit = peers_.silence_seconds();
  while (result == ncclInProgress) {
    std::this_thread::yield();
    if (const ncclResult_t asked = ncclCommGetAsyncError(wire.comm, &result);
        asked != ncclSuccess) {
      result = asked;
    }
    const std::chrono::duration<double> waited = Clock::now() - begin;
    if (result == ncclInProgress && limit > 0.0 && waited.count() > limit) {
      fail(wire, call, "no answer within " + format(Seconds{limit}));
    }
  }
  if (result != ncclSuccess) {
    fail(wire, call, ncclGetErrorString(result));
  }
}

void NcclLink::send(StreamId stream, const float* from, const RankTransfer& transfer) {
  if (transfer.least_seconds > 0.0) {
    driver_.hold(stream, transfer.least_seconds);
  }
  const Wire& wire = wires_.at(gpus_of(transfer.devices));
  driver_.use(stream.device);
  complete(wire,
           ncclSend(from, transfer.bytes, ncclChar, 1, wire.comm, driver_.stream_of(stream)),
           "ncclSend");
}

void NcclLink::receive(StreamId stream, float* to, const RankTransfer& transfer) {
  const Wire& wire = wires_.at(gpus_of(transfer.devices));
  driver_.use(stream.device);
  complete(wire,
           ncclRecv(to, transfer.bytes, ncclChar, 0, wire.comm, driver_.stream_of(stream)),
           "ncclRecv");
}

std::string NcclLink::failure() {
  for (const auto& [gpus, wire] : wires_) {
    ncclResult_t result = ncclSuccess;
    if (wire.comm == nullptr) {
      continue;
    }
    const ncclResult_t asked = ncclCommGetAsyncError(wire.comm, &result);
    const ncclResult_t worst = asked != ncclSuccess ? asked : result;
    if (worst != ncclSuccess && worst != ncclInProgress) {
      return "NCCL: transfers with rank " + std::to_string(wire.peer) + ": " +
             ncclGetErrorString(worst);
    }
  }
  return {};
}

void NcclLink::abort() noexcept {
  // Not ncclCommDestroy: it may wait for a peer that is gone.
  for (auto& [gpus, wire] : wires_) {
    if (wire.comm != nullptr) {
      ncclCommAbort(wire.comm);
      wire.comm = nullptr;
    }
  }
  is_aborted_ = true;
}

}  // namespace

std::unique_ptr<RankLink> open_nccl_link(CudaDriver& driver,
                                         PeerGroup& peers,
                                         const DeviceShare& share,
                                         std::span<const std::uint32_t> gpu_of) {
  return std::make_unique<NcclLink>(driver, peers, share, gpu_of);
}

}  // namespace berth::executors

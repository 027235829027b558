// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "rank_devices.hpp"

#include <algorithm>
#include <map>

#include "cuda_check.hpp"
#include "cuda_driver.hpp"
#include "nccl_link.hpp"
#include "ring_link.hpp"

namespace berth::executors {
namespace {

/// A GPU's name in the world.
std::string uuid_of(int gpu) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
  return {properties.uuid.bytes, sizeof properties.uuid.bytes};
}

GpuRange own_gpu(std::uint32_t node_rank, std::uint32_t gpus) {
  if (node_rank >= gpus) {
    throw RunError("cuda: rank_gpus=own: this is rank " + std::to_string(node_rank) +
                   " of its node, counted from 0, which has " + std::to_string(gpus) +
                   (gpus == 1 ? " GPU" : " GPUs") +
                   "; expected at most a rank a GPU, or rank_gpus=share");
  }
  return {node_rank, 1};
}

GpuRange choose_gpus(RankGpus gpus, PeerGroup& peers) {
  const std::uint32_t found = count_gpus();
  std::string all;
  for (std::uint32_t gpu = 0; gpu < found; ++gpu) {
    all += uuid_of(static_cast<int>(gpu));
  }
  const std::vector<std::string> seen = peers.all_gather(all, "GPUs of the nodes", 0.0);
  if (gpus == RankGpus::kOwn) {
    return own_gpu(peers.node_rank(), found);
  }
  const auto before = seen.begin() + peers.rank();
  return part_of_gpus(static_cast<std::uint32_t>(std::count(seen.begin(), before, all)),
                      static_cast<std::uint32_t>(std::ranges::count(seen, all)),
                      found);
}

/// Sends each transfer the way that its two ranks have between them.
class RoutedLink final : public RankLink {
 public:
  /// @param by_ring [ranks] those with which this one shares a GPU.
  RoutedLink(std::unique_ptr<RankLink> ring,
             std::unique_ptr<RankLink> nccl,
             const DeviceShare& share,
             std::vector<std::vector<char>> by_ring)
      : ring_(std::move(ring)),
        nccl_(std::move(nccl)),
        share_(share),
        by_ring_(std::move(by_ring)) {}

  void connect(std::span<const DevicePair> pairs) override {
    std::vector<DevicePair> by_nccl;
    std::ranges::copy_if(pairs, std::back_inserter(by_nccl), [this](const DevicePair& devices) {
      return !goes_by_ring(devices);
    });
    if (ring_ != nullptr) {
      ring_->connect(pairs);
    }
    if (nccl_ != nullptr) {
      nccl_->connect(by_nccl);
    }
  }
  void send(StreamId stream, const float* from, const RankTransfer& transfer) override {
    way_of(transfer).send(stream, from, transfer);
  }
  void receive(StreamId stream, float* to, const RankTransfer& transfer) override {
    way_of(transfer).receive(stream, to, transfer);
  }
  std::string failure() override { return nccl_ != nullptr ? nccl_->failure() : ""; }
  void abort() noexcept override {
    for (RankLink* const way : {ring_.get(), nccl_.get()}) {
      if (way != nullptr) {
        way->abort();
      }
    }
  }
  std::string description() const override {
    return ring_ == nullptr ? nccl_->description()
           : nccl_ == nullptr
               ? ring_->description()
               : nccl_->description() + ", " + ring_->description() + " where ranks share a GPU";
  }

 private:
  [[nodiscard]] bool goes_by_ring(const DevicePair& devices) const {
    return by_ring_[share_.owner(devices.from)][share_.owner(devices.to)] != 0;
  }
  [[nodiscard]] RankLink& way_of(const RankTransfer& transfer) const {
    return goes_by_ring(transfer.devices) ? *ring_ : *nccl_;
  }

  std::unique_ptr<RankLink> ring_;  ///< Null if no ranks share a GPU.
  std::unique_ptr<RankLink> nccl_;  ///< Null if all do.
  DeviceShare share_;
  std::vector<std::vector<char>> by_ring_;  ///< [ranks][ranks]
};

/// The GPU of each of the problem's devices by its uuid; collective.
std::vector<std::string> uuids_of_devices(const CudaDriver& driver,
                                          const DeviceShare& share,
                                          PeerGroup& peers) {
  std::string mine;
  for (std::uint32_t device = 0; device < share.count(); ++device) {
    mine += uuid_of(driver.gpu_of(device));
  }
  std::vector<std::string> uuids;
  for (const std::string& theirs : peers.all_gather(mine, "GPUs of the devices", 0.0)) {
    for (std::size_t at = 0; at < theirs.size(); at += sizeof(cudaUUID_t)) {
      uuids.push_back(theirs.substr(at, sizeof(cudaUUID_t)));
    }
  }
  return uuids;
}

std::vector<std::vector<char>> ranks_that_share(const std::vector<std::string>& uuids,
                                                const DeviceShare& share) {
  std::vector<std::vector<char>> found(share.ranks(), std::vector<char>(share.ranks(), 0));
  for (std::uint32_t a = 0; a < uuids.size(); ++a) {
    for (std::uint32_t b = 0; b < uuids.size(); ++b) {
      if (share.owner(a) != share.owner(b) && uuids[a] == uuids[b]) {
        found[share.owner(a)][share.owner(b)] = 1;
      }
    }
  }
  return found;
}

std::unique_ptr<RankLink> open_link(CudaDriver& driver,
                                    const DeviceShare& share,
                                    PeerGroup& peers) {
  const std::vector<std::string> uuids = uuids_of_devices(driver, share, peers);
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> numbers;  // of a rank's GPUs
  std::vector<std::uint32_t> gpu_of;
  for (std::uint32_t device = 0; device < uuids.size(); ++device) {
    const auto number = static_cast<std::uint32_t>(numbers.size());
    gpu_of.push_back(
        numbers.emplace(std::pair(share.owner(device), uuids[device]), number).first->second);
  }
  std::vector<std::vector<char>> by_ring = ranks_that_share(uuids, share);
  bool some_share = false;
  bool some_do_not = false;
  for (std::uint32_t a = 0; a < share.ranks(); ++a) {
    for (std::uint32_t b = 0; b < share.ranks(); ++b) {
      some_share = some_share || by_ring[a][b] != 0;
      some_do_not = some_do_not || (a != b && by_ring[a][b] == 0);
    }
  }
  std::unique_ptr<RankLink> ring;
  if (some_share) {
    ring = std::make_unique<RingLink>(open_rings(peers, by_ring[share.rank()]), driver, share);
  }
  std::unique_ptr<RankLink> nccl;
  if (some_do_not) {
    nccl = open_nccl_link(driver, peers, share, gpu_of);
  }
  return std::make_unique<RoutedLink>(std::move(ring), std::move(nccl), share, std::move(by_ring));
}

}  // namespace

GpuRange part_of_gpus(std::uint32_t index, std::uint32_t ranks, std::uint32_t gpus) {
  const std::uint32_t first = index * gpus / ranks;
  return {first, std::max(1U, (index + 1) * gpus / ranks - first)};
}

RankDevices open_rank_devices(const CudaSettings& settings,
                              RankGpus gpus,
                              const DeviceShare& share,
                              PeerGroup& peers) {
  const GpuRange range = choose_gpus(gpus, peers);
  CudaSettings here = settings;
  here.first_gpu = range.first;
  here.gpus = range.count;
  auto driver = std::make_unique<CudaDriver>(here);
  std::unique_ptr<RankLink> link;
  if (peers.size() > 1) {
    link = open_link(*driver, share, peers);
  }
  return {std::move(driver), std::move(link)};
}

}  // namespace berth::executors

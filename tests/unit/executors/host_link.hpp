// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/device_share.hpp"
#include "core/rank_link.hpp"
#include "host_driver.hpp"

namespace berth::testing {

using executors::DevicePair;
using executors::DeviceShare;
using executors::RankLink;
using executors::RankTransfer;

/// What lies between the ranks of a test: for every ordered pair of ranks the transfers in the
/// order in which their halves were put. A transfer moves when both halves are at the heads of
/// their streams and the pair's earlier ones have moved, no sooner: as NCCL does at its worst.
class HostWire {
 public:
  std::vector<std::string> faults;  ///< Halves that met and do not fit. Read it when all is over.
  std::size_t moved = 0;
  bool loses = false;  ///< Nothing moves.

  enum class Side : std::uint8_t { kSend, kReceive };

  /// @return the number of the half in its pair of ranks.
  std::size_t put(DevicePair ranks, Side side, const RankTransfer& transfer, const void* memory) {
    const std::lock_guard held(lock_);
    Pair& pair = pairs_[ranks];
    const std::size_t number = pair.puts[at(side)]++;
    pair.messages.resize(std::max(pair.messages.size(), number + 1));
    Message& message = pair.messages[number];
    message.memory[at(side)] = memory;
    if (message.is_put &&
        (message.devices != transfer.devices || message.bytes != transfer.bytes)) {
      faults.push_back("transfer " + std::to_string(number) + " of a pair of ranks is another");
    }
    message.is_put = true;
    message.devices = transfer.devices;
    message.bytes = transfer.bytes;
    return number;
  }

  /// The half is at the head of its stream, whose time it is; whether both have ended, and when.
  bool meet(DevicePair ranks, Side side, std::size_t number, double& time) {
    const std::lock_guard held(lock_);
    Pair& pair = pairs_[ranks];
    Message& message = pair.messages[number];
    message.has_reached[at(side)] = true;
    message.time = message.moved ? message.time : std::max(message.time, time);
    const bool is_next = number == 0 || pair.messages[number - 1].moved;
    if (!message.moved && is_next && message.has_reached[0] && message.has_reached[1] && !loses) {
      std::memcpy(const_cast<void*>(message.memory[1]), message.memory[0], message.bytes);
      message.moved = true;
      ++moved;
    }
    time = message.moved ? message.time : time;
    return message.moved;
  }

 private:
  struct Message {
    DevicePair devices;
    std::uint64_t bytes = 0;
    const void* memory[2] = {nullptr, nullptr};
    bool is_put = false;
    bool has_reached[2] = {false, false};
    bool moved = false;
    double time = 0.0;
  };
  struct Pair {
    std::vector<Message> messages;
    std::size_t puts[2] = {0, 0};
  };
  static std::size_t at(Side side) { return static_cast<std::size_t>(side); }

  std::mutex lock_;
  std::map<DevicePair, Pair> pairs_;  ///< Of ranks.
};

/// A rank's end of it, on a driver that is played on the host.
class HostLink final : public RankLink {
 public:
  HostLink(HostWire& wire, HostDriver& driver, const DeviceShare& share)
      : wire_(wire), driver_(driver), share_(share) {}

  std::string failing;  ///< What failure() says.

  void connect(std::span<const DevicePair> pairs) override {
    connected_.assign(pairs.begin(), pairs.end());
  }
  void send(StreamId stream, const float* from, const RankTransfer& transfer) override {
    put(stream, HostWire::Side::kSend, from, transfer, transfer.least_seconds);
  }
  void receive(StreamId stream, float* to, const RankTransfer& transfer) override {
    put(stream, HostWire::Side::kReceive, to, transfer, 0.0);
  }
  std::string failure() override { return failing; }
  void abort() noexcept override { *aborted_ = true; }
  std::string description() const override { return "a wire"; }

 private:
  void put(StreamId stream,
           HostWire::Side side,
           const void* memory,
           const RankTransfer& transfer,
           double seconds) {
    if (std::ranges::find(connected_, transfer.devices) == connected_.end()) {
      throw std::logic_error("a transfer between devices that are not connected");
    }
    const DevicePair ranks{share_.owner(transfer.devices.from), share_.owner(transfer.devices.to)};
    const std::size_t number = wire_.put(ranks, side, transfer, memory);
    driver_.put_half(
        stream, seconds, [&wire = wire_, aborted = aborted_, ranks, side, number](double& time) {
          return *aborted || wire.meet(ranks, side, number, time);
        });
  }

  HostWire& wire_;
  HostDriver& driver_;
  DeviceShare share_;
  std::vector<DevicePair> connected_;
  std::shared_ptr<bool> aborted_ = std::make_shared<bool>(false);
};

}  // namespace berth::testing

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "berth/rank_executor.hpp"

namespace berth::executors {

/// Memory of a node through which bytes go from one process to another, in chunks. Chunk k lies in
/// slot k modulo kSlots, as the slot's use number k / kSlots + 1. The sender writes it when the use
/// before has been taken, and says so by `full`; the receiver reads it when it is full, and says so
/// by `taken`. Each of the two numbers has one writer.
class SharedRing {
 public:
  static constexpr std::size_t kSlots = 4;
  static constexpr std::size_t kSlotBytes = std::size_t{512} << 10U;

  using Number = unsigned long long;
  struct Slot {
    alignas(64) Number full;
    alignas(64) Number taken;
  };
  /// What lies in the memory, all zeros at first.
  struct Layout {
    std::array<Slot, kSlots> slots;
    alignas(4096) std::array<std::array<std::byte, kSlotBytes>, kSlots> data;
  };

  /// The sender makes the ring, the receiver opens it by its name.
  enum class Side : std::uint8_t { kSender, kReceiver };
  /// @throws RunError naming what the system refused.
  SharedRing(std::string name, Side side);
  SharedRing(const SharedRing&) = delete;
  SharedRing& operator=(const SharedRing&) = delete;
  ~SharedRing();

  /// Takes the name away; the memory stays as long as the processes that have it.
  void unlink() noexcept;
  /// Both sides begin anew with the first chunk, each calling it. @pre nothing is under way.
  void restart() noexcept;

  /// The next chunk's number on this side.
  [[nodiscard]] std::uint64_t next() noexcept { return next_++; }
  [[nodiscard]] Slot& slot(std::uint64_t chunk) const noexcept {
    return layout_->slots[chunk % kSlots];
  }
  [[nodiscard]] std::byte* data(std::uint64_t chunk) const noexcept {
    return layout_->data[chunk % kSlots].data();
  }
  /// The number that `full` and `taken` of its slot have when the chunk is there, or gone again.
  [[nodiscard]] static Number use(std::uint64_t chunk) noexcept { return chunk / kSlots + 1; }
  [[nodiscard]] void* memory() const noexcept { return layout_; }

 private:
  std::string name_;
  Side side_;
  Layout* layout_ = nullptr;
  std::uint64_t next_ = 0;
};

/// The rings between this rank and others of its node.
struct SharedRings {
  std::vector<std::unique_ptr<SharedRing>> to;    ///< [ranks]; null without one.
  std::vector<std::unique_ptr<SharedRing>> from;  ///< [ranks]
};

/// Makes rings both ways between ranks of one node; collective. Their names are gone when it
/// returns. @param with [ranks] those to make them with, which say the same of this one.
[[nodiscard]] SharedRings open_rings(PeerGroup& peers, const std::vector<char>& with);

}  // namespace berth::executors

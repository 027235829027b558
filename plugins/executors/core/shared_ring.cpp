// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "shared_ring.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "berth/error.hpp"

namespace berth::executors {
namespace {

[[noreturn]] void refused(const std::string& name, const char* call, int error) {
  throw RunError("shared memory " + name + ": " + call + ": " + std::strerror(error) +
                 "; expected room for " + std::to_string(sizeof(SharedRing::Layout) >> 10U) +
                 " KiB in /dev/shm, and ranks of one user");
}

/// A file descriptor while memory is mapped.
class File {
 public:
  explicit File(int number) : number_(number) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(number_); }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace

SharedRing::SharedRing(std::string name, Side side) : name_(std::move(name)), side_(side) {
  const int flags = O_RDWR | (side == Side::kSender ? O_CREAT | O_EXCL : 0);
  const int number = ::shm_open(name_.c_str(), flags, 0600);
  if (number < 0) {
    refused(name_, "shm_open", errno);
  }
  const File file(number);
  try {
    // Memory that is not there would be a signal at its first use.
    const int full =
        side == Side::kSender ? ::posix_fallocate(file.number(), 0, sizeof(Layout)) : 0;
    if (full != 0) {
      refused(name_, "posix_fallocate", full);
    }
    void* const memory =
        ::mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (memory == MAP_FAILED) {
      refused(name_, "mmap", errno);
    }
    layout_ = static_cast<Layout*>(memory);
  } catch (...) {
    unlink();
    throw;
  }
}

SharedRing::~SharedRing() {
  unlink();
  ::munmap(layout_, sizeof(Layout));
}

void SharedRing::unlink() noexcept {
  if (side_ == Side::kSender && !name_.empty()) {
    ::shm_unlink(name_.c_str());
    name_.clear();
  }
}

void SharedRing::restart() noexcept {
  next_ = 0;
  for (Slot& slot : layout_->slots) {
    volatile Number& mine = side_ == Side::kSender ? slot.full : slot.taken;
    mine = 0;
  }
}

SharedRings open_rings(PeerGroup& peers, const std::vector<char>& with) {
  SharedRings rings;
  rings.to.resize(peers.size());
  rings.from.resize(peers.size());
  const auto name_of = [](const std::string& sender, std::uint32_t to) {
    return "/berth-" + sender + "-" + std::to_string(to);
  };
  // What a process that was killed left behind has another time in its name.
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::string mine =
      std::to_string(::getpid()) + "-" + std::to_string(now) + "-" + std::to_string(peers.rank());
  for (std::uint32_t rank = 0; rank < peers.size(); ++rank) {
    if (with[rank] != 0) {
      rings.to[rank] = std::make_unique<SharedRing>(name_of(mine, rank), SharedRing::Side::kSender);
    }
  }
  const std::vector<std::string> senders = peers.all_gather(mine, "names of shared memory", 0.0);
  for (std::uint32_t rank = 0; rank < peers.size(); ++rank) {
    if (with[rank] != 0) {
      rings.from[rank] = std::make_unique<SharedRing>(name_of(senders[rank], peers.rank()),
                                                      SharedRing::Side::kReceiver);
    }
  }
  static_cast<void>(peers.all_gather({}, "opening of shared memory", 0.0));
  for (const auto& ring : rings.to) {
    if (ring != nullptr) {
      ring->unlink();
    }
  }
  return rings;
}

}  // namespace berth::executors

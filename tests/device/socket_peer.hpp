// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/socket.h>
#include <sys/time.h>

#include <string>
#include <vector>

#include "berth/error.hpp"
#include "berth/rank_executor.hpp"

namespace berth::device_check {

/// Two processes with a socket between them, where there is no MPI.
class SocketPeer final : public PeerGroup {
 public:
  /// @param socket of a connected pair.
  SocketPeer(std::uint32_t rank, int socket) : rank_(rank), socket_(socket) {
    const timeval patience{static_cast<time_t>(silence_seconds()), 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

  std::uint32_t rank() const noexcept override { return rank_; }
  std::uint32_t size() const noexcept override { return 2; }
  std::uint32_t node_rank() const noexcept override { return rank_; }
  double silence_seconds() const noexcept override { return 60.0; }

  std::vector<std::string> all_gather(const std::string& mine,
                                      const char* what,
                                      double /*busy_seconds*/) override {
    if (rank_ == 0) {  // one after the other: both might wait for room to write
      write(mine);
      return {mine, read(what)};
    }
    const std::string theirs = read(what);
    write(mine);
    return {theirs, mine};
  }

 private:
  void write(const std::string& bytes) const {
    const std::uint64_t size = bytes.size();
    move(const_cast<std::uint64_t*>(&size), sizeof size, ::send, MSG_NOSIGNAL, "write");
    move(const_cast<char*>(bytes.data()), bytes.size(), ::send, MSG_NOSIGNAL, "write");
  }
  [[nodiscard]] std::string read(const char* what) const {
    std::uint64_t size = 0;
    move(&size, sizeof size, ::recv, 0, what);
    std::string bytes(size, '\0');
    move(bytes.data(), size, ::recv, 0, what);
    return bytes;
  }
  template <class Call>
  void move(void* bytes, std::size_t size, const Call& call, int flags, const char* what) const {
    auto* at = static_cast<char*>(bytes);
    while (size > 0) {
      const ssize_t moved = call(socket_, at, size, flags);
      if (moved <= 0) {
        throw RunError("rank " + std::to_string(1 - rank_) + " is silent or gone (" + what + ")");
      }
      at += moved;
      size -= static_cast<std::size_t>(moved);
    }
  }

  std::uint32_t rank_;
  int socket_;
};

}  // namespace berth::device_check

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "mpi_session.hpp"

#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <mpi.h>

#include "berth/error.hpp"

namespace berth::launcher {
namespace {

using Clock = std::chrono::steady_clock;

enum Tag : int { kReport = 1, kGradient = 2, kGroup = 3 };

void checked(int status, const char* what) {
  if (status != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw RunError(std::string("MPI: ") + what + ": " + std::string(text, text + length));
  }
}

int count_of(std::size_t size, const char* what) {
  if (size > INT_MAX) {
    throw RunError(std::string("MPI: ") + what + ": a message of " + std::to_string(size) +
                   " units; expected at most 2147483647");
  }
  return static_cast<int>(size);
}

/// One outgoing message; a message that never left dies with the job, not with this object.
class Request {
 public:
  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() {
    if (request_ != MPI_REQUEST_NULL) {
      MPI_Request_free(&request_);
    }
  }

  [[nodiscard]] MPI_Request* get() noexcept { return &request_; }
  [[nodiscard]] bool done(const char* what) {
    int flag = 0;
    checked(MPI_Test(&request_, &flag, MPI_STATUS_IGNORE), what);
    return flag != 0;
  }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Takes a waiting message of any length.
bool try_receive(int from, int tag, std::string& bytes, const char* what) {
  int flag = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  checked(MPI_Improbe(from, tag, MPI_COMM_WORLD, &flag, &message, &status), what);
  if (flag == 0) {
    return false;
  }
  int count = 0;
  checked(MPI_Get_count(&status, MPI_BYTE, &count), what);
  bytes.resize(static_cast<std::size_t>(count));
  checked(MPI_Mrecv(bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE), what);
  return true;
}

std::string join(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) {
    const std::uint64_t size = part.size();
    joined.append(reinterpret_cast<const char*>(&size), sizeof size);
    joined.append(part);
  }
  return joined;
}

std::vector<std::string> split(const std::string& joined) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < joined.size();) {
    std::uint64_t size = 0;
    joined.copy(reinterpret_cast<char*>(&size), sizeof size, at);
    at += sizeof size;
    parts.push_back(joined.substr(at, size));
    at += size;
  }
  return parts;
}

}  // namespace

MpiSession::MpiSession() {
  checked(MPI_Init(nullptr, nullptr), "init");
  checked(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "set error handler");
  checked(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "rank");
  checked(MPI_Comm_size(MPI_COMM_WORLD, &size_), "size");
  if (size_ > 1) {
    MPI_Comm node = MPI_COMM_NULL;
    int number = 0;
    checked(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node),
            "ranks of a node");
    checked(MPI_Comm_rank(node, &number), "rank within a node");
    checked(MPI_Comm_free(&node), "ranks of a node");
    node_rank_ = static_cast<std::uint32_t>(number);
  }
}

MpiSession::~MpiSession() {
  MPI_Finalize();
}

void MpiSession::wait(const std::function<bool()>& done,
                      const std::function<std::string()>& silent,
                      const char* what) const {
  constexpr auto kSpin = std::chrono::microseconds(200);
  const auto begin = Clock::now();
  while (!done()) {
    const auto waited = Clock::now() - begin;
    // Ranks may outnumber cores: whoever waits long leaves the core to the others.
    if (waited > kSpin) {
      while_waiting_();
      std::this_thread::sleep_for(nap_);
    } else {
      std::this_thread::yield();
    }
    if (watchdog_seconds_ > 0.0 &&
        std::chrono::duration<double>(waited).count() > watchdog_seconds_) {
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%g", watchdog_seconds_);
      throw RunError("silent for over " + std::string(seconds) + " s: rank " + silent() + " (" +
                     what + "); expected a message; see --watchdog-seconds");
    }
  }
}

std::vector<std::string> MpiSession::collect(std::span<const int> ranks,
                                             int tag,
                                             const char* what) {
  std::vector<std::string> parts(ranks.size());
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    pending.push_back(i);
  }
  wait(
      [&] {
        std::erase_if(pending,
                      [&](std::size_t i) { return try_receive(ranks[i], tag, parts[i], what); });
        return pending.empty();
      },
      [&] {
        std::string silent;
        for (const std::size_t i : pending) {
          silent += (silent.empty() ? "" : ", ") + std::to_string(ranks[i]);
        }
        return silent;
      },
      what);
  return parts;
}

void MpiSession::send_bytes(const std::string& bytes, int to, int tag, const char* what) {
  Request request;
  checked(MPI_Isend(bytes.data(),
                    count_of(bytes.size(), what),
                    MPI_BYTE,
                    to,
                    tag,
                    MPI_COMM_WORLD,
                    request.get()),
          what);
  wait([&] { return request.done(what); }, [to] { return std::to_string(to); }, what);
}

std::vector<std::string> MpiSession::all_gather(const std::string& mine, const char* what) {
  std::string joined;
  if (rank_ == 0) {
    std::vector<int> others;
    for (int from = 1; from < size_; ++from) {
      others.push_back(from);
    }
    std::vector<std::string> parts = collect(others, kReport, what);
    parts.insert(parts.begin(), mine);
    if (size_ == 1) {
      return parts;
    }
    joined = join(parts);
  } else {
    send_bytes(mine, 0, kReport, what);
  }
  broadcast(joined, what);
  return split(joined);
}

std::vector<std::string> MpiSession::all_gather_among(std::span<const int> ranks,
                                                      const std::string& mine,
                                                      const char* what) {
  const int root = ranks.front();
  const std::span<const int> others = ranks.subspan(1);
  if (rank_ != root) {
    send_bytes(mine, root, kGroup, what);
    return split(collect(ranks.first(1), kGroup, what).front());
  }
  std::vector<std::string> parts = collect(others, kGroup, what);
  parts.insert(parts.begin(), mine);
  const std::string joined = join(parts);
  for (const int other : others) {
    send_bytes(joined, other, kGroup, what);
  }
  return parts;
}

void MpiSession::broadcast(std::string& bytes, const char* what) {
  if (size_ == 1) {
    return;
  }
  std::uint64_t size = bytes.size();
  const auto from_root = [] { return std::string("0"); };
  Request announced;
  checked(MPI_Ibcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD, announced.get()), what);
  wait([&] { return announced.done(what); }, from_root, what);
  bytes.resize(size);
  Request sent;
  checked(MPI_Ibcast(bytes.data(), count_of(size, what), MPI_BYTE, 0, MPI_COMM_WORLD, sent.get()),
          what);
  wait([&] { return sent.done(what); }, from_root, what);
}

void MpiSession::broadcast(std::span<float> values, const char* what) {
  if (size_ == 1) {
    return;
  }
  Request request;
  checked(MPI_Ibcast(values.data(),
                     count_of(values.size(), what),
                     MPI_FLOAT,
                     0,
                     MPI_COMM_WORLD,
                     request.get()),
          what);
  wait([&] { return request.done(what); }, [] { return std::string("0"); }, what);
}

void MpiSession::send(std::span<const float> values, int to, const char* what) {
  Request request;
  checked(MPI_Isend(values.data(),
                    count_of(values.size(), what),
                    MPI_FLOAT,
                    to,
                    kGradient,
                    MPI_COMM_WORLD,
                    request.get()),
          what);
  wait([&] { return request.done(what); }, [to] { return std::to_string(to); }, what);
}

void MpiSession::receive(std::span<float> values, int from, const char* what) {
  Request request;
  checked(MPI_Irecv(values.data(),
                    count_of(values.size(), what),
                    MPI_FLOAT,
                    from,
                    kGradient,
                    MPI_COMM_WORLD,
                    request.get()),
          what);
  wait([&] { return request.done(what); }, [from] { return std::to_string(from); }, what);
}

void MpiSession::abort(int code) {
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "metrics_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "berth/error.hpp"

namespace berth::launcher {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const char* action) {
  throw RunError(file.string() + ": cannot " + action + ": " + std::strerror(errno));
}

/// Bytes of the first `lines` complete lines. @throws RunError if there are fewer.
std::uintmax_t length_of_lines(const std::filesystem::path& file, std::uint64_t lines) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  std::uintmax_t length = 0;
  for (std::uint64_t i = 0; i < lines; ++i) {
    if (!std::getline(in, line) || in.eof()) {
      throw RunError(file.string() + ": " + std::to_string(i) + " lines; the checkpoint follows " +
                     std::to_string(lines) + "; was the file edited or removed?");
    }
    length += line.size() + 1;
  }
  return length;
}

}  // namespace

MetricsFile::MetricsFile(std::filesystem::path file, std::uint64_t updates)
    : file_(std::move(file)),
      descriptor_(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) {
    fail(file_, "open");
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(length_of_lines(file_, updates))) != 0) {
    fail(file_, "truncate");
  }
}

MetricsFile::~MetricsFile() {
  ::close(descriptor_);
}

void MetricsFile::append(std::string_view json) {
  const std::string line = std::string(json) + "\n";
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = ::write(descriptor_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      fail(file_, "write");
    }
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace berth::launcher

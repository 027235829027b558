// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "berth/error.hpp"

namespace berth::checkpoints {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& action, int error) {
  throw RunError(file.string() + ": cannot " + action + ": " + std::strerror(error) +
                 "; what was there before is intact");
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) {
      ::close(value_);
    }
  }
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

void write_all(const fs::path& file, std::span<const std::byte> bytes) {
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (out.get() < 0) {
    fail(file, "create", errno);
  }
  while (!bytes.empty()) {
    const ssize_t written = ::write(out.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      fail(file, "write", written < 0 ? errno : ENOSPC);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  if (::fsync(out.get()) != 0) {
    fail(file, "fsync", errno);
  }
}

void sync_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some network file systems refuse fsync on a folder (EINVAL); the rename itself is done.
  if (handle.get() >= 0 && ::fsync(handle.get()) != 0 && errno != EINVAL) {
    fail(folder, "fsync", errno);
  }
}

void rename_into_place(const fs::path& partial, const fs::path& file) {
  std::error_code ignored;
  const fs::file_status there = fs::status(file, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    ::unlink(partial.c_str());
    throw RunError(file.string() + ": is no regular file; expected a name for a file of its own");
  }
  if (::rename(partial.c_str(), file.c_str()) != 0) {
    const int error = errno;
    ::unlink(partial.c_str());
    fail(file, "rename into place", error);
  }
  sync_folder(file);
}

fs::path partial_name(const fs::path& file) {
  return file.string() + ".partial";
}

}  // namespace

void write_atomically(const fs::path& file, std::span<const std::byte> bytes) {
  const fs::path partial = partial_name(file);
  try {
    write_all(partial, bytes);
  } catch (...) {
    ::unlink(partial.c_str());
    throw;
  }
  rename_into_place(partial, file);
}

void link_atomically(const fs::path& file, const fs::path& alias) {
  const fs::path partial = partial_name(alias);
  ::unlink(partial.c_str());
  if (::link(file.c_str(), partial.c_str()) != 0) {
    std::error_code error;
    if (!fs::copy_file(file, partial, error)) {
      ::unlink(partial.c_str());
      fail(alias, "copy from '" + file.string() + "'", error.value());
    }
    const Descriptor copy(::open(partial.c_str(), O_RDONLY | O_CLOEXEC));
    if (copy.get() < 0 || ::fsync(copy.get()) != 0) {
      fail(partial, "fsync", errno);
    }
  }
  rename_into_place(partial, alias);
  // rename() does nothing where both names already are one file, and leaves the temporary.
  ::unlink(partial.c_str());
}

}  // namespace berth::checkpoints

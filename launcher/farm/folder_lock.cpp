// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <thread>

#include "berth/error.hpp"

namespace berth::launcher {
namespace {

/// @return 0, or the errno of the last try.
int try_for(int descriptor, std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kPause{100};
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    if ((code != EWOULDBLOCK && code != EINTR) || patience.count() <= 0) {
      return code;
    }
    std::this_thread::sleep_for(kPause);
    patience -= kPause;
  }
  return 0;
}

std::string reason(int code) {
  return std::generic_category().message(code);
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder,
                       std::chrono::milliseconds patience,
                       Logger& logger)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw InputError(folder.string() + ": cannot open the folder: " + reason(errno));
  }
  const int code = try_for(descriptor_, patience);
  if (code == EWOULDBLOCK) {
    ::close(descriptor_);
    throw InputError(folder.string() +
                     ": another run writes into this folder; expected it to have ended; wait for "
                     "it or choose another --out");
  }
  if (code != 0) {
    logger.warning("the run's folder cannot be locked; start no second run in it",
                   {{"folder", folder.string()}, {"reason", reason(code)}});
  }
}

FolderLock::~FolderLock() {
  ::close(descriptor_);
}

}  // namespace berth::launcher

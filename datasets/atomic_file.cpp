// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "atomic_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "berth/error.hpp"

#include "writable_file.hpp"

namespace berth::datasets {
namespace {

std::string reason(int code) {
  return std::generic_category().message(code);
}

/// @return 0, or the errno of the step that failed.
int write_all(std::FILE* output, std::string_view content, bool durable) {
  int code = std::fwrite(content.data(), 1, content.size(), output) == content.size() ? 0 : errno;
  if (code == 0 && std::fflush(output) != 0) {
    code = errno;
  }
  if (code == 0 && durable && fsync(fileno(output)) != 0) {
    code = errno;
  }
  if (std::fclose(output) != 0 && code == 0) {
    code = errno;
  }
  return code;
}

}  // namespace

void write_atomically(const std::filesystem::path& file, std::string_view content) {
  namespace fs = std::filesystem;
  const bool in_place = !is_replaced_whole(file);
  const fs::path whole = followed(file);
  fs::path target = whole;  // or a temporary file beside it
  if (!in_place) {
    target += ".partial." + std::to_string(getpid());
  }
  std::FILE* const output = std::fopen(target.c_str(), "wb");
  if (output == nullptr) {
    throw InputError(file.string() + ": cannot create: " + reason(errno));
  }
  int code = write_all(output, content, !in_place);
  if (code == 0 && !in_place && std::rename(target.c_str(), whole.c_str()) != 0) {
    code = errno;
  }
  if (code != 0) {
    if (!in_place) {
      std::error_code ignored;
      fs::remove(target, ignored);
    }
    throw RunError(file.string() + ": cannot write: " + reason(code));
  }
}

}  // namespace berth::datasets

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "shipped_file.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "berth/error.hpp"

namespace berth::training {
namespace {

constexpr int kMostLevels = 4;
const char anchor = 0;  // lies in this library, whichever it was linked into

}  // namespace

std::string shipped_file(const std::string& name) {
  namespace fs = std::filesystem;
  Dl_info library{};
  std::error_code error;
  fs::path folder;
  if (dladdr(&anchor, &library) != 0 && library.dli_fname != nullptr) {
    folder = fs::canonical(library.dli_fname, error).parent_path();
  }
  const fs::path start = folder;
  for (int level = 0; level <= kMostLevels && !folder.empty(); ++level) {
    fs::path file = folder / "share/berth/training" / name;
    if (fs::is_regular_file(file, error)) {
      return file.string();
    }
    folder = folder.parent_path();
  }
  throw InputError("share/berth/training/" + name + ": not found above " + start.string() +
                   "; name a file by the option data");
}

}  // namespace berth::training

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "mapped_libraries.hpp"

#include <link.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace berth::launcher {
namespace {

constexpr std::string_view kPrefixes[] = {
    "libblas", "libblis", "libopenblas", "libmkl_core", "libatlas", "libtorch_cpu", "libcublas."};

int collect(dl_phdr_info* info, std::size_t /*size*/, void* out) {
  const std::filesystem::path file = info->dlpi_name;
  const std::string name = file.filename().string();
  const bool numeric = std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](auto prefix) {
    return name.starts_with(prefix);
  });
  if (numeric) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(file, error);
    static_cast<std::vector<std::filesystem::path>*>(out)->push_back(error ? file : real);
  }
  return 0;
}

}  // namespace

std::vector<std::filesystem::path> mapped_numeric_libraries() {
  std::vector<std::filesystem::path> files;
  dl_iterate_phdr(collect, &files);
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace berth::launcher

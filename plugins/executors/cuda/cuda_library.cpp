// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cuda_library.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "berth/error.hpp"

namespace berth::executors {
namespace {

std::filesystem::path beside_this() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&cuda_library), &self) == 0) {
    return kCudaLibrary;
  }
  return std::filesystem::path(self.dli_fname).parent_path() / kCudaLibrary;
}

const CudaLibrary& load() {
  const std::filesystem::path file = beside_this();
  if (!std::filesystem::exists(file)) {
    throw PluginError(
        std::string("no GPU can be used: Berth was built without CUDA, there is no ") +
        kCudaLibrary + " beside the plugin; expected a build that found nvcc " +
        "(BERTH_WITH_CUDA=ON)");
  }
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw PluginError(std::string("no GPU can be used: ") + dlerror() +
                      "; expected the libraries of the CUDA toolkit that Berth was built with");
  }
  using Entry = const CudaLibrary* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, kCudaSymbol));
  if (entry == nullptr || entry()->layout != CudaLibrary::kLayout) {
    throw PluginError(std::string("no GPU can be used: ") + file.string() +
                      " is of another build; expected the one that was built with the plugin");
  }
  return *entry();
}

}  // namespace

const CudaLibrary& cuda_library() {
  static const CudaLibrary& library = load();
  return library;
}

}  // namespace berth::executors

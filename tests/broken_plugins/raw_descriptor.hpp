// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/layout_hash.hpp"
#include "berth/plugin_abi.h"

namespace berth::broken {

inline constexpr berth_offer kRawOffer = {"berth.placement/1", "raw", "Broken.", nullptr, 0};

/// A descriptor written by hand that passes the handshake; each defect changes one field.
inline constexpr berth_plugin_descriptor kRawDescriptor = {
    BERTH_PLUGIN_MAGIC,
    sizeof(berth_plugin_descriptor),
    BERTH_ABI_MAJOR,
    BERTH_ABI_MINOR,
    layout_hash(),
    toolchain(),
    "raw",
    "1.0",
    &kRawOffer,
    1,
    [](const char*, const char*, const void*, void** object, berth_status*) -> std::int32_t {
      *object = nullptr;
      return 0;
    },
    [](const char*, void*) {}};

template <class Change>
constexpr berth_plugin_descriptor changed(Change change) {
  berth_plugin_descriptor descriptor = kRawDescriptor;
  change(descriptor);
  return descriptor;
}

}  // namespace berth::broken

/// Exports kRawDescriptor after `statement`, which sees it as `descriptor`.
#define BERTH_RAW_PLUGIN(statement)                                \
  extern "C" BERTH_API const berth_plugin_descriptor berth_plugin; \
  constinit const berth_plugin_descriptor berth_plugin =           \
      ::berth::broken::changed([](berth_plugin_descriptor& descriptor) { statement; });

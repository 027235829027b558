// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "berth/error.hpp"

#include "datasets/topology_json.hpp"

/// Any bytes must give a topology or an InputError; a topology must survive its own JSON.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  try {
    const Topology topology = datasets::read_topology_json(
        {"fuzz", std::string(reinterpret_cast<const char*>(data), size)});
    const Topology again =
        datasets::read_topology_json({"copy", datasets::write_topology_json(topology)});
    if (again.hash() != topology.hash()) {
      std::abort();
    }
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}

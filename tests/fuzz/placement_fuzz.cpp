// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>

#include "berth/error.hpp"
#include "berth/problem.hpp"

#include "datasets/placement_file.hpp"
#include "datasets/source_text.hpp"
#include "silent_logger.hpp"

namespace {

std::shared_ptr<const berth::PlacementProblem> small_problem() {
  berth::GraphBuilder builder("two");
  builder.add_op({});
  builder.add_op({});
  return berth::make_problem("two", builder.freeze(), berth::Topology::uniform(2), {});
}

}  // namespace

/// Any bytes must give legal placements or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  static const auto problem = small_problem();
  fuzz::SilentLogger logger;
  try {
    const auto placements = datasets::parse_placements(
        {"fuzz", std::string(reinterpret_cast<const char*>(data), size)}, *problem, logger);
    for (const Placement& placement : placements) {
      check_placement(*problem, placement);
    }
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}

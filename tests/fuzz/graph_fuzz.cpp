// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "berth/error.hpp"

#include "datasets/berth_graph_json.hpp"
#include "datasets/graph_formats.hpp"
#include "silent_logger.hpp"

/// Any bytes must give a graph or an InputError; a graph must survive Berth JSON, and detection
/// must not crash on the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const datasets::SourceText source{"fuzz", std::string(reinterpret_cast<const char*>(data), size)};
  static_cast<void>(datasets::detect_format(source));
  fuzz::SilentLogger logger;
  for (const datasets::GraphFormat& format : datasets::graph_formats()) {
    if (format.name != BERTH_FUZZ_FORMAT) {
      continue;
    }
    try {
      const Graph graph = format.read(source, logger);
      const Graph again =
          datasets::read_berth_graph({"copy", datasets::write_berth_graph(graph)}, logger);
      if (again.hash() != graph.hash()) {
        std::abort();
      }
      if (format.write != nullptr) {
        static_cast<void>(format.write(graph));
      }
    } catch (const InputError&) {
      return 0;
    }
  }
  return 0;
}

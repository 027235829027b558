// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth_graph_json.hpp"

#include <cmath>

#include "berth_graph_events.hpp"
#include "json_text.hpp"
#include "numbers.hpp"

namespace berth::datasets {
namespace {

void append_amount(std::string& out, const char* key, double value) {
  if (value != 0.0) {
    out += std::string(",\"") + key + "\":" + number_text(value);
  }
}

void append_device_lists(std::string& out, const Graph& graph, std::size_t v) {
  if (graph.table_devices() > 0) {
    out += graph.cost_basis() == CostBasis::kTime ? ",\"device_time_units\":["
                                                  : ",\"device_seconds\":[";
    for (std::size_t d = 0; d < graph.table_devices(); ++d) {
      const double time = graph.device_time()[v * graph.table_devices() + d];
      out += (d == 0 ? "" : ",") + (std::isinf(time) ? std::string("null") : number_text(time));
    }
    out += "]";
  }
  const auto eligible = graph.eligible(to_id<OpId>(v));
  for (std::size_t i = 0; i < eligible.size(); ++i) {
    out += (i == 0 ? ",\"eligible_devices\":[" : ",") + std::to_string(index(eligible[i]));
  }
  out += eligible.empty() ? "" : "]";
}

}  // namespace

Graph read_berth_graph(const SourceText& source, Logger& logger) {
  BerthGraphEvents events(source);
  nlohmann::json::sax_parse(source.text, &events);
  return events.finish(logger);
}

std::string write_berth_graph(const Graph& graph) {
  const bool time = graph.cost_basis() == CostBasis::kTime;
  std::string out =
      "{\"format\":\"berth.graph\",\"version\":" + std::to_string(kBerthGraphVersion) +
      ",\"name\":";
  append_json_string(out, graph.name());
  out += time
             ? ",\n\"costs\":\"time\",\"seconds_per_unit\":" + number_text(graph.seconds_per_unit())
             : std::string(",\n\"costs\":\"physical\"");
  out += ",\n\"ops\":[";
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    const auto op = to_id<OpId>(v);
    out += v == 0 ? "\n{\"kind\":" : ",\n{\"kind\":";
    append_json_string(out, graph.kind(op));
    const std::string name = graph.op_name(op);
    if (name != "op" + std::to_string(v)) {  // the name of an op without one
      out += ",\"name\":";
      append_json_string(out, name);
    }
    if (!graph.kernel(op).empty()) {
      out += ",\"kernel\":";
      append_json_string(out, graph.kernel(op));
    }
    out += (time ? ",\"time_units\":" : ",\"flops\":") + number_text(graph.work()[v]);
    append_amount(out, "output_bytes", graph.output_bytes()[v]);
    append_amount(out, "touched_bytes", graph.touched_bytes()[v]);
    append_amount(out, "memory_bytes", graph.memory_bytes()[v]);
    append_device_lists(out, graph, v);
    out += "}";
  }
  out += "],\n\"edges\":[";
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
      out += (e == 0 ? "\n{\"from\":" : ",\n{\"from\":") + std::to_string(v) +
             ",\"to\":" + std::to_string(index(graph.out_targets()[e])) +
             (time ? ",\"time_units\":" : ",\"size_bytes\":") + number_text(graph.edge_size()[e]) +
             "}";
    }
  }
  return out + "]}\n";
}

}  // namespace berth::datasets

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "operator_file.hpp"

#include <algorithm>

#include "berth/config.hpp"

#include "datasets/source_text.hpp"
#include "json_fields.hpp"

namespace berth::datasets {
namespace {

constexpr double kMicrosecond = 1e-6;
constexpr double kMostMicroseconds = 1e15;
constexpr std::int64_t kMostCores = 1'000'000;

void expect_keys(const JsonField& field, const std::vector<std::string>& known) {
  for (const auto& [key, value] : field.object().json().items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const std::string near = nearest_name(key, known);
      throw InputError(
          field.place() + ": unknown key '" + key + "'" +
          (near.empty() ? "; expected a known one" : "; did you mean '" + near + "'?"));
    }
  }
}

OperatorCore core_of(const JsonField& field) {
  const std::string core = field.text();
  if (core == "TC") {
    return OperatorCore::kMatrix;
  }
  if (core == "VC") {
    return OperatorCore::kVector;
  }
  if (core != "TCandVC") {
    field.fail("TC, VC or TCandVC");
  }
  return OperatorCore::kBoth;
}

std::uint32_t cores(const JsonField& field) {
  return static_cast<std::uint32_t>(field.integer(1, kMostCores));
}

LayerOperator read_operator(const JsonField& field, std::size_t number) {
  expect_keys(field, {"id", "name", "core", "one_core_us", "all_cores_us", "source_op"});
  if (field.at("id").integer(0, kMostCores) != static_cast<std::int64_t>(number)) {
    field.at("id").fail(std::to_string(number) + ", operators are numbered from 0");
  }
  LayerOperator op;
  op.name = field.has("name") ? field.at("name").text() : "";
  op.core = core_of(field.at("core"));
  op.one_core_seconds = field.at("one_core_us").number(0, kMostMicroseconds) * kMicrosecond;
  op.all_cores_seconds = field.at("all_cores_us").number(0, kMostMicroseconds) * kMicrosecond;
  return op;
}

NamedOperators read_graph(const JsonField& root) {
  expect_keys(root, {"model", "t", "part", "direction", "tc_cores", "vc_cores", "ops", "edges"});
  NamedOperators named;
  named.model = root.at("model").text();
  named.tensor = cores(root.at("t"));
  named.part = root.at("part").text();
  named.direction = root.at("direction").text();
  if (named.direction != "fwd" && named.direction != "bwd") {
    root.at("direction").fail("fwd or bwd");
  }
  OperatorGraph& graph = named.graph;
  graph.name =
      named.model + " t" + std::to_string(named.tensor) + " " + named.part + " " + named.direction;
  graph.matrix_cores = cores(root.at("tc_cores"));
  graph.vector_cores = cores(root.at("vc_cores"));
  const JsonField ops = root.at("ops").array();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    graph.operators.push_back(read_operator(ops.at(i), i));
  }
  const JsonField edges = root.at("edges").array();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const JsonField edge = edges.at(i).array();
    if (edge.size() != 2) {
      edge.fail("two ids");
    }
    graph.edges.emplace_back(static_cast<std::uint32_t>(edge.at(0).integer(0, kMostCores)),
                             static_cast<std::uint32_t>(edge.at(1).integer(0, kMostCores)));
  }
  return named;
}

}  // namespace

std::vector<NamedOperators> read_operator_file(const std::filesystem::path& file) {
  const SourceText source = load_source(file);
  std::vector<NamedOperators> graphs;
  LineReader lines(source.text);
  while (lines.next()) {
    if (trimmed(lines.line()).empty()) {
      continue;
    }
    const std::string place = source.place + ":" + std::to_string(lines.number());
    const nlohmann::json json = parse_json_text(std::string(lines.line()), place);
    graphs.push_back(read_graph(JsonField(json, place + ": ")));
    try {
      check_operators(graphs.back().graph);
    } catch (const InputError& error) {
      rethrow_with_context(error, place);
    }
  }
  if (graphs.empty()) {
    throw InputError(source.place + ": no operator graph; expected one JSON object a line");
  }
  return graphs;
}

}  // namespace berth::datasets

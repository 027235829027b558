// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "parameter_layout.hpp"

#include <utility>

#include "berth/error.hpp"

namespace berth::doppler {

ParameterLayout::ParameterLayout(const Architecture& architecture) {
  const std::size_t hidden = architecture.hidden;
  add_encoder("sel", architecture);
  add_linear("sel/own", hidden, architecture.node_columns, Initialiser::kOrthogonal);
  add_linear("sel/hidden", architecture.head, 4 * hidden, Initialiser::kOrthogonal);
  add_linear("sel/output", 1, architecture.head, Initialiser::kOrthogonal);
  sel_size_ = size_;
  add_encoder("plc", architecture);
  add_linear("plc/device", hidden, architecture.device_columns, Initialiser::kOrthogonal);
  add_linear("plc/own", hidden, architecture.node_columns, Initialiser::kOrthogonal);
  add_linear("plc/hidden", architecture.head, 4 * hidden, Initialiser::kOrthogonal);
  add_linear("plc/output", 1, architecture.head, Initialiser::kOrthogonal);
  if (architecture.affinity > 0) {
    const auto rows = static_cast<std::int64_t>(architecture.affinity);
    const auto columns = static_cast<std::int64_t>(2 * hidden);
    add("plc/affinity/query", {rows, columns}, 2 * hidden, Initialiser::kUniform);
    add("plc/affinity/key", {rows, columns}, 2 * hidden, Initialiser::kUniform);
  }
}

void ParameterLayout::add(std::string name,
                          std::vector<std::int64_t> shape,
                          std::size_t fan_in,
                          Initialiser initialiser) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.offset = size_;
  parameter.size = 1;
  for (const std::int64_t extent : shape) {
    parameter.size *= static_cast<std::size_t>(extent);
  }
  parameter.shape = std::move(shape);
  parameter.fan_in = fan_in;
  parameter.initialiser = initialiser;
  size_ += parameter.size;
  parameters_.push_back(std::move(parameter));
}

void ParameterLayout::add_linear(const std::string& name,
                                 std::size_t out,
                                 std::size_t in,
                                 Initialiser initialiser) {
  const auto rows = static_cast<std::int64_t>(out);
  add(name + "/weight", {rows, static_cast<std::int64_t>(in)}, in, initialiser);
  // The reference starts the biases of orthogonal layers at zero, the others as LibTorch does.
  add(name + "/bias",
      {rows},
      in,
      initialiser == Initialiser::kOrthogonal ? Initialiser::kZero : initialiser);
}

void ParameterLayout::add_encoder(const std::string& net, const Architecture& architecture) {
  const std::size_t hidden = architecture.hidden;
  const auto wide = static_cast<std::int64_t>(3 * hidden);
  add_linear(net + "/input", hidden, architecture.node_columns, Initialiser::kUniform);
  add_linear(
      net + "/edge/0", architecture.edge_hidden, architecture.edge_columns, Initialiser::kUniform);
  add_linear(net + "/edge/1", hidden * hidden, architecture.edge_hidden, Initialiser::kUniform);
  add(net + "/conv/bias", {static_cast<std::int64_t>(hidden)}, hidden, Initialiser::kZero);
  for (const char* part : {"weight_ih", "weight_hh"}) {
    add(net + "/gru/" + part,
        {wide, static_cast<std::int64_t>(hidden)},
        hidden,
        Initialiser::kUniform);
  }
  for (const char* part : {"bias_ih", "bias_hh"}) {
    add(net + "/gru/" + part, {wide}, hidden, Initialiser::kUniform);
  }
}

const Parameter& ParameterLayout::find(const std::string& name) const {
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name) {
      return parameter;
    }
  }
  throw InternalError("doppler: no parameter is called '" + name + "'");
}

}  // namespace berth::doppler

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "berth/graph.hpp"

namespace berth {

/// The non-negative integers of a line, whatever separates them.
inline std::vector<double> numbers_in(const std::string& line) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(line[i])) != 0) {
      std::size_t length = 0;
      numbers.push_back(static_cast<double>(std::stoull(line.substr(i), &length)));
      i += length;
    }
  }
  return numbers;
}

/// The plain form of a DOPPLER text of known good quality: count, inputs, edge sources, edge
/// destinations, then compute,transfer of every op that is no input.
inline Graph read_doppler_sample(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  const auto next = [&] {
    std::getline(file, line);
    return numbers_in(line);
  };
  const auto total = static_cast<std::size_t>(next().at(0));
  const std::size_t ops = total - next().size();
  const std::vector<double> from = next();
  const std::vector<double> to = next();
  GraphBuilder builder(path.stem().string());
  builder.cost_basis(CostBasis::kTime, 1e-13);
  std::vector<double> transfer;
  for (std::size_t v = 0; v < ops; ++v) {
    const std::vector<double> costs = next();
    OpSpec op;
    op.work = costs.at(0);
    transfer.push_back(costs.at(1));
    builder.add_op(op);
  }
  for (std::size_t e = 0; e < from.size(); ++e) {
    const auto producer = static_cast<std::size_t>(from[e]);
    builder.add_edge(to_id<OpId>(producer), to_id<OpId>(to[e]), transfer[producer]);
  }
  return builder.freeze();
}

}  // namespace berth

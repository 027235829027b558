// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace berth::launcher {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< (x, y), ascending x
};

struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Curve> curves;
};

/// The first row is the header; each has as many cells.
using TextRows = std::vector<std::vector<std::string>>;

/// The results of one experiment, ready to be shown.
struct Section {
  std::string title;
  std::vector<std::string> notes;  ///< What was done: seeds, budgets, units.
  std::vector<std::pair<std::string, TextRows>> tables;
  std::vector<Chart> charts;
  std::vector<nlohmann::ordered_json> lines;  ///< One for each single result.
};

}  // namespace berth::launcher

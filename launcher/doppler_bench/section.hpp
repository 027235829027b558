// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
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

/// How results go to standard output.
enum class SectionForm : std::uint8_t {
  kText,    ///< Title, notes and tables.
  kLines,   ///< A JSON line for each single result.
  kSilent,  ///< Not at all: on ranks other than 0.
};

/// The results of one experiment. Each part is printed, and flushed, as soon as it is there, so
/// that a run that is stopped leaves what it has found.
class Section {
 public:
  Section(SectionForm form, std::string title);

  /// What was done: seeds, budgets, units.
  void note(std::string text);
  /// A complete table.
  void table(std::string title, TextRows rows);
  /// One single result.
  void line(const nlohmann::ordered_json& result) const;

  [[nodiscard]] const std::string& title() const noexcept { return title_; }
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }
  [[nodiscard]] const auto& tables() const noexcept { return tables_; }

  std::vector<Chart> charts;

 private:
  void print(const std::string& text) const;

  SectionForm form_;
  std::string title_;
  std::vector<std::string> notes_;
  std::vector<std::pair<std::string, TextRows>> tables_;
};

}  // namespace berth::launcher

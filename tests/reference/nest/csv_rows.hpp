// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace berth {

/// A row of a CSV file, by column name.
using CsvRow = std::map<std::string, std::string>;

/// All rows of a CSV file with a header. Quotes are not interpreted; a byte-order mark is dropped.
inline std::vector<CsvRow> read_csv_rows(const std::filesystem::path& file) {
  std::vector<CsvRow> rows;
  std::ifstream stream(file);
  std::string line;
  std::vector<std::string> header;
  while (std::getline(stream, line)) {
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    if (header.empty() && line.rfind("\xEF\xBB\xBF", 0) == 0) {
      line.erase(0, 3);
    }
    std::vector<std::string> cells;
    std::stringstream cutter(line + ",");
    for (std::string cell; std::getline(cutter, cell, ',');) {
      cells.push_back(cell);
    }
    if (header.empty()) {
      header = cells;
      continue;
    }
    CsvRow row;
    for (std::size_t i = 0; i < header.size() && i < cells.size(); ++i) {
      row[header[i]] = cells[i];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace berth

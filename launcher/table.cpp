// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "berth/error.hpp"

namespace berth::launcher {
namespace {

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;  // not a continuation byte
  }));
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_of("0123456789") != std::string::npos &&
         text.find_first_not_of("0123456789.+-e %xinf,kKMGTBµnums/()") == std::string::npos;
}

}  // namespace

Table::Table(std::vector<std::string> header) : rows_{std::move(header)} {}

void Table::add_row(std::vector<std::string> cells) {
  BERTH_CHECK(cells.size() == rows_.front().size(), "one cell per column");
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<char> right(columns, rows_.size() > 1 ? 1 : 0);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], width(rows_[r][c]));
      if (r > 0 && !rows_[r][c].empty() && rows_[r][c] != "-" && !is_number(rows_[r][c])) {
        right[c] = 0;
      }
    }
  }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string padding(widths[c] - width(rows_[r][c]), ' ');
      line +=
          (c == 0 ? "" : "  ") + (right[c] != 0 ? padding + rows_[r][c] : rows_[r][c] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r == 0) {
      std::size_t total = 2 * (columns - 1);
      for (const std::size_t w : widths) {
        total += w;
      }
      out += std::string(total, '-') + "\n";
    }
  }
  return out;
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  Table table(rows.front());
  for (std::size_t r = 1; r < rows.size(); ++r) {
    table.add_row(rows[r]);
  }
  return table.text();
}

std::string significant(double value, int digits) {
  char buffer[64];
  const double magnitude = std::fabs(value);
  if (magnitude != 0.0 && (magnitude >= 1e9 || magnitude < 1e-4)) {
    std::snprintf(buffer, sizeof buffer, "%.*e", digits - 1, value);
    return buffer;
  }
  // Digits before the point; of 0.00012, less than none: the three zeros behind it.
  const int whole = magnitude == 0.0 ? 0 : static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  std::snprintf(buffer, sizeof buffer, "%.*f", std::max(digits - whole, 0), value);
  return buffer;
}

std::string fixed(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

std::string percent(double fraction) {
  return std::isfinite(fraction) ? fixed(100.0 * fraction, 1) + " %" : "-";
}

void print_text(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace berth::launcher

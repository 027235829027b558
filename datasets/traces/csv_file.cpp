// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "csv_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "berth/error.hpp"

namespace berth::datasets {

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(file, ignored);
  std::ifstream in(file);
  if (!in || is_folder) {
    throw InputError(file.string() + ": cannot be read (" +
                     std::strerror(is_folder ? EISDIR : errno) + "); expected a text file");
  }
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(in, line)) {
    if (lines.empty() && line.compare(0, 3, "\xef\xbb\xbf") == 0) {
      line.erase(0, 3);
    }
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = line.find(separator, begin);
    fields.emplace_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) {
      return fields;
    }
    begin = end + 1;
  }
}

double parse_number(const std::string& place, std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
      value < 0.0) {
    throw InputError(place + ": '" + std::string(text) + "'; expected a finite number >= 0");
  }
  return value;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

namespace {

/// The fields of a line of CSV; inside quotes two quotes stand for one.
std::vector<std::string> split_csv(const std::string& place, const std::string& line) {
  if (line.find('"') == std::string::npos) {
    return split(line, ',');
  }
  std::vector<std::string> fields(1);
  bool quoted = false;
  bool closed = false;  // this field was in quotes
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && line[i + 1] == '"') {
      fields.back() += line[i++];
    } else if (quoted && line[i] == '"') {
      quoted = false;
      closed = true;
    } else if (!quoted && line[i] == ',') {
      fields.emplace_back();
      closed = false;
    } else if (!quoted && line[i] == '"' && fields.back().empty() && !closed) {
      quoted = true;
    } else if (quoted || (line[i] != '"' && !closed)) {
      fields.back() += line[i];
    } else {
      throw InputError(place + ": a quote in field " + std::to_string(fields.size()) +
                       "; expected it around a whole field, two for one inside");
    }
  }
  if (quoted) {
    throw InputError(place + ": field " + std::to_string(fields.size()) +
                     " begins with a quote; expected one at its end");
  }
  return fields;
}

void check_header(const std::string& place, const std::vector<std::string>& header) {
  for (auto name = header.begin(); name != header.end(); ++name) {
    if (std::find(header.begin(), name, *name) != name) {
      throw InputError(place + ": column '" + *name + "' is there twice; expected it once");
    }
  }
}

}  // namespace

CsvFile::CsvFile(const std::filesystem::path& file) : name_(file.string()) {
  const std::vector<std::string> lines = read_lines(file);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) {
      continue;
    }
    std::vector<std::string> fields = split_csv(name_ + ":" + std::to_string(i + 1), lines[i]);
    if (header_.empty()) {
      check_header(name_ + ":" + std::to_string(i + 1), fields);
      header_ = std::move(fields);
      continue;
    }
    if (fields.size() != header_.size()) {
      throw InputError(name_ + ":" + std::to_string(i + 1) + ": " + std::to_string(fields.size()) +
                       " fields; the header names " + std::to_string(header_.size()));
    }
    rows_.push_back(std::move(fields));
    lines_.push_back(i + 1);
  }
  if (rows_.empty()) {
    throw InputError(name_ + ": no rows; expected a header line and at least one row");
  }
}

bool CsvFile::has_column(std::string_view name) const {
  return std::find(header_.begin(), header_.end(), name) != header_.end();
}

std::string CsvFile::place(std::size_t row) const {
  return name_ + ":" + std::to_string(lines_[row]);
}

const std::string& CsvFile::text(std::size_t row, std::string_view column) const {
  const auto found = std::find(header_.begin(), header_.end(), column);
  if (found == header_.end()) {
    std::string known;
    for (const std::string& name : header_) {
      known += " " + name;
    }
    throw InputError(name_ + ": no column '" + std::string(column) + "'; it has" + known);
  }
  return rows_[row][static_cast<std::size_t>(found - header_.begin())];
}

double CsvFile::number(std::size_t row, std::string_view column) const {
  return parse_number(place(row) + ": " + std::string(column), text(row, column));
}

std::uint32_t CsvFile::whole(std::size_t row, std::string_view column) const {
  const double value = number(row, column);
  if (value != std::floor(value) || value > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(place(row) + ": " + std::string(column) + ": '" + text(row, column) +
                     "'; expected a whole number");
  }
  return static_cast<std::uint32_t>(value);
}

}  // namespace berth::datasets

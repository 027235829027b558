// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "profile_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "berth/config.hpp"
#include "berth/error.hpp"

#include "datasets/source_text.hpp"
#include "kernel_list.hpp"

namespace berth::datasets {
namespace {

constexpr double kMicrosecond = 1e-6;

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t comma = std::min(line.find(',', at), line.size());
    cells.emplace_back(trimmed(line.substr(at, comma - at)));
    at = comma + 1;
  }
  return cells;
}

// One line of a file whose header is known.
class Cells {
 public:
  Cells(const SourceText& source,
        std::size_t line,
        const std::vector<std::string>& header,
        std::vector<std::string> cells)
      : source_(source), line_(line), header_(header), cells_(std::move(cells)) {
    if (cells_.size() != header_.size()) {
      fail_at(source_,
              line_,
              std::to_string(cells_.size()) + " cells; expected " + std::to_string(header_.size()) +
                  " as in the header");
    }
  }

  [[nodiscard]] std::string text(const char* column) const {
    const auto at = std::find(header_.begin(), header_.end(), column);
    return at == header_.end() ? std::string()
                               : cells_[static_cast<std::size_t>(at - header_.begin())];
  }

  // A number in [least, 1e18]; `fallback` for an empty cell, which is an error if it is NaN.
  [[nodiscard]] double number(const char* column, double least, double fallback = NAN) const {
    const std::string word = text(column);
    if (word.empty() && !std::isnan(fallback)) {
      return fallback;
    }
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(value >= least) ||
        !(value <= 1e18)) {
      fail_at(source_,
              line_,
              std::string(column) + " " + shown(word) + "; expected a number from " +
                  (least > 0.0 ? "1" : "0") + " to 1e18");
    }
    return value;
  }

  // A measured time in (0, 1e18] microseconds, in seconds.
  [[nodiscard]] double seconds(const char* column) const {
    const double value = number(column, 0.0);
    if (value == 0.0) {
      fail_at(source_,
              line_,
              std::string(column) + " " + shown(text(column)) +
                  "; expected a number of microseconds above 0, up to 1e18");
    }
    return kMicrosecond * value;
  }

  [[nodiscard]] bool flag(const char* column) const {
    const std::string word = text(column);
    if (word != "true" && word != "false" && !word.empty()) {
      fail_at(source_, line_, std::string(column) + " " + shown(word) + "; expected true or false");
    }
    return word == "true";
  }

  [[nodiscard]] std::string one_of(const char* column,
                                   const std::vector<std::string>& known) const {
    const std::string word = text(column);
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      std::string all;
      for (const std::string& name : known) {
        all += (all.empty() ? "" : ", ") + name;
      }
      fail_at(source_, line_, std::string(column) + " " + shown(word) + "; expected one of " + all);
    }
    return word;
  }

 private:
  const SourceText& source_;
  std::size_t line_;
  const std::vector<std::string>& header_;
  std::vector<std::string> cells_;
};

void check_header(const SourceText& source,
                  std::size_t line,
                  const std::vector<std::string>& header,
                  const std::vector<std::string>& needed,
                  const std::vector<std::string>& optional) {
  std::vector<std::string> known = needed;
  known.insert(known.end(), optional.begin(), optional.end());
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (std::find(known.begin(), known.end(), header[i]) == known.end() ||
        std::find(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(i), header[i]) !=
            header.begin() + static_cast<std::ptrdiff_t>(i)) {
      const std::string near = nearest_name(header[i], known);
      fail_at(source,
              line,
              "column " + shown(header[i]) +
                  (near.empty() || near == header[i] ? "; expected each known column once"
                                                     : "; did you mean '" + near + "'?"));
    }
  }
  for (const std::string& column : needed) {
    if (std::find(header.begin(), header.end(), column) == header.end()) {
      fail_at(source, line, "no column '" + column + "'; expected one");
    }
  }
}

}  // namespace

void ProfileTable::add(Key key, Row row) {
  const auto [at, fresh] = by_key_.emplace(std::move(key), rows_.size());
  if (!fresh) {
    throw InputError(row.place + ": the same shape as " + rows_[at->second].place +
                     "; expected each once");
  }
  rows_.push_back(std::move(row));
}

void ProfileTable::read(const std::filesystem::path& file) {
  const SourceText source = load_source(file);
  LineReader lines(source.text);
  if (!lines.next_content()) {
    throw InputError(source.place + ": empty; expected a header that starts kernel or layer");
  }
  const std::vector<std::string> header = cells_of(lines.line());
  const bool kernels = std::find(header.begin(), header.end(), "kernel") != header.end();
  if (kernels) {
    check_header(
        source, lines.number(), header, {"kernel", "m", "us"}, {"n", "k", "count", "device"});
  } else {
    check_header(source,
                 lines.number(),
                 header,
                 {"layer", "tensor", "micro_batch", "forward_us", "backward_us"},
                 {"context", "expert", "sequence_parallel", "device"});
  }
  const std::size_t before = rows_.size();
  while (lines.next_content()) {
    const Cells cells(source, lines.number(), header, cells_of(lines.line()));
    Row row;
    row.place = source.place + ":" + std::to_string(lines.number());
    std::array<double, 5> numbers{};
    std::string what;
    if (kernels) {
      what = cells.one_of("kernel", {"product", "vector"});
      row.seconds.forward = cells.seconds("us");
      if (what == "product") {
        numbers = {cells.number("m", 1.0),
                   cells.number("n", 1.0),
                   cells.number("k", 1.0),
                   cells.number("count", 1.0, 1.0),
                   0.0};
      } else {
        numbers[0] = cells.number("m", 1.0);
      }
    } else {
      what = cells.one_of("layer", {"embedding", "layer", "dense-layer", "head"});
      row.seconds.forward = cells.seconds("forward_us");
      row.seconds.backward = kMicrosecond * cells.number("backward_us", 0.0);
      numbers = {cells.number("tensor", 1.0),
                 cells.number("context", 1.0, 1.0),
                 cells.number("expert", 1.0, 1.0),
                 cells.flag("sequence_parallel") ? 1.0 : 0.0,
                 cells.number("micro_batch", 1.0)};
    }
    add({what + "@" + cells.text("device"), numbers}, std::move(row));
  }
  if (rows_.size() == before) {
    throw InputError(source.place + ": a header alone; expected a measured time a line below it");
  }
}

const ProfileTable::Row* ProfileTable::find(const std::string& what,
                                            const std::string& device,
                                            const std::array<double, 5>& numbers) const {
  for (const std::string& suffix : {device, std::string()}) {
    const auto at = by_key_.find({what + "@" + suffix, numbers});
    if (at != by_key_.end()) {
      rows_[at->second].used = true;
      return &rows_[at->second];
    }
  }
  return nullptr;
}

std::optional<double> ProfileTable::product(
    const std::string& device, double m, double n, double k, double count) const {
  const Row* const row = find("product", device, {m, n, k, count, 0.0});
  return row == nullptr ? std::nullopt : std::optional(row->seconds.forward);
}

std::optional<double> ProfileTable::vector(const std::string& device, double size_bytes) const {
  const Row* const row = find("vector", device, {size_bytes, 0.0, 0.0, 0.0, 0.0});
  return row == nullptr ? std::nullopt : std::optional(row->seconds.forward);
}

std::optional<LayerSeconds> ProfileTable::layer(const std::string& device,
                                                std::string_view layer,
                                                const Degrees& degrees) const {
  const Row* const row = find(std::string(layer),
                              device,
                              {double{1} * degrees.tensor,
                               double{1} * degrees.context,
                               double{1} * degrees.expert,
                               degrees.sequence_parallel ? 1.0 : 0.0,
                               double{1} * degrees.micro_batch});
  return row == nullptr ? std::nullopt : std::optional(row->seconds);
}

std::vector<std::string> ProfileTable::unused() const {
  std::vector<std::string> places;
  for (const Row& row : rows_) {
    if (!row.used) {
      places.push_back(row.place);
    }
  }
  return places;
}

}  // namespace berth::datasets

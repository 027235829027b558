// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace berth::device_check {

/// What was found, one row a check; printed as it comes and again at the end.
class CheckTable {
 public:
  void add(const std::string& check, bool is_good, const std::string& found) {
    rows_.push_back({check, is_good, found});
    print(rows_.back());
  }
  /// Numbers without a bar to meet.
  void tell(const std::string& check, const std::string& found) {
    rows_.push_back({check, true, found, /*is_told=*/true});
    print(rows_.back());
  }
  void print_all() const {
    std::printf("\n");
    for (const Row& row : rows_) {
      print(row);
    }
    std::printf("%zu of %zu checks failed\n", failed(), rows_.size());
  }
  [[nodiscard]] std::size_t failed() const {
    std::size_t count = 0;
    for (const Row& row : rows_) {
      count += row.is_good ? 0 : 1;
    }
    return count;
  }

 private:
  struct Row {
    std::string check;
    bool is_good = true;
    std::string found;
    bool is_told = false;
  };
  static void print(const Row& row) {
    std::printf("%-6s %-34s %s\n",
                row.is_told   ? "told"
                : row.is_good ? "ok"
                              : "FAILED",
                row.check.c_str(),
                row.found.c_str());
    std::fflush(stdout);
  }

  std::vector<Row> rows_;
};

/// printf into a string.
template <class... Values>
std::string words(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace berth::device_check

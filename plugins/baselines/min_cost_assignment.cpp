// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "min_cost_assignment.hpp"

#include <limits>

namespace berth::baselines {

std::vector<std::size_t> min_cost_assignment(std::span<const double> cost, std::size_t size) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  // Rows and columns count from 1; column 0 stands for "not yet assigned".
  std::vector<double> row_price(size + 1, 0.0);
  std::vector<double> column_price(size + 1, 0.0);
  std::vector<std::size_t> row_of(size + 1, 0);
  for (std::size_t row = 1; row <= size; ++row) {
    std::vector<double> slack(size + 1, kNever);
    std::vector<std::size_t> previous(size + 1, 0);
    std::vector<bool> reached(size + 1, false);
    row_of[0] = row;
    std::size_t column = 0;
    do {
      reached[column] = true;
      const std::size_t r = row_of[column];
      double least = kNever;
      std::size_t next = 0;
      for (std::size_t c = 1; c <= size; ++c) {
        if (reached[c]) {
          continue;
        }
        const double here = cost[(r - 1) * size + c - 1] - row_price[r] - column_price[c];
        if (here < slack[c]) {
          slack[c] = here;
          previous[c] = column;
        }
        if (slack[c] < least) {
          least = slack[c];
          next = c;
        }
      }
      if (next == 0) {
        return {};
      }
      for (std::size_t c = 0; c <= size; ++c) {
        if (reached[c]) {
          row_price[row_of[c]] += least;
          column_price[c] -= least;
        } else {
          slack[c] -= least;
        }
      }
      column = next;
    } while (row_of[column] != 0);
    while (column != 0) {
      row_of[column] = row_of[previous[column]];
      column = previous[column];
    }
  }
  std::vector<std::size_t> column_of(size);
  for (std::size_t c = 1; c <= size; ++c) {
    column_of[row_of[c] - 1] = c - 1;
  }
  return column_of;
}

}  // namespace berth::baselines

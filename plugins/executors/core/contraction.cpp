// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "contraction.hpp"

#include <algorithm>

namespace berth::executors {
namespace {

constexpr std::size_t kAbsent = ~std::size_t{0};  ///< An axis of length 1.

struct Choice {
  std::size_t row = kAbsent;     ///< In the output loops.
  std::size_t column = kAbsent;  ///< In the output loops.
  std::size_t inner = kAbsent;   ///< In the reduced loops.
};

std::uint64_t stride(const std::vector<Loop>& loops, std::size_t loop, std::size_t tensor) {
  return loop == kAbsent ? 1 : loops[loop].stride[tensor];
}

std::uint32_t length(const std::vector<Loop>& loops, std::size_t loop) {
  return loop == kAbsent ? 1 : loops[loop].length;
}

/// A matrix of `major` rows and `minor` columns of stride 1: the distance between its rows.
struct Stored {
  bool possible = false;
  bool transposed = false;
  std::uint64_t leading = 1;
};

/// How rows x columns is stored; a vector has a leading dimension that nothing walks.
Stored stored(std::uint32_t rows,
              std::uint64_t row_stride,
              std::uint32_t columns,
              std::uint64_t column_stride) {
  if (columns == 1 || column_stride == 1) {
    return {columns > 1 || rows == 1 || row_stride >= 1,
            false,
            std::max<std::uint64_t>(rows == 1 ? columns : row_stride, columns)};
  }
  if (rows == 1 || row_stride == 1) {
    return {true, true, std::max<std::uint64_t>(column_stride, rows)};
  }
  return {};
}

/// The product of a choice; false if a matrix has no axis of stride 1 or the output's is its rows.
bool product_of(const std::vector<Loop>& output,
                const std::vector<Loop>& reduced,
                const Choice& choice,
                std::size_t first,
                MatrixProduct& product) {
  const std::size_t second = 3 - first;
  product.m = length(output, choice.row);
  product.n = length(output, choice.column);
  product.k = length(reduced, choice.inner);
  const Stored a = stored(product.m,
                          stride(output, choice.row, first),
                          product.k,
                          stride(reduced, choice.inner, first));
  const Stored b = stored(product.k,
                          stride(reduced, choice.inner, second),
                          product.n,
                          stride(output, choice.column, second));
  const Stored c =
      stored(product.m, stride(output, choice.row, 0), product.n, stride(output, choice.column, 0));
  product.lda = a.leading;
  product.ldb = b.leading;
  product.ldc = c.leading;
  product.a_transposed = a.transposed;
  product.b_transposed = b.transposed;
  product.swapped = first == 2;
  return a.possible && b.possible && c.possible && !c.transposed;
}

std::vector<std::size_t> candidates(const std::vector<Loop>& loops,
                                    std::size_t with,
                                    std::size_t without) {
  std::vector<std::size_t> found = {kAbsent};
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].stride[with] != 0 && (without == 0 || loops[i].stride[without] == 0)) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace

std::vector<Loop> fused(std::vector<Loop> loops) {
  std::erase_if(loops, [](const Loop& loop) { return loop.length == 1; });
  std::vector<Loop> kept;
  for (const Loop& loop : loops) {
    const bool joins =
        !kept.empty() &&
        std::ranges::equal(
            kept.back().stride, loop.stride, [&loop](std::uint64_t outer, std::uint64_t inner) {
              return outer == inner * loop.length;
            });
    if (joins) {
      kept.back().length *= loop.length;
      std::ranges::copy(loop.stride, kept.back().stride);
    } else {
      kept.push_back(loop);
    }
  }
  return kept;
}

bool make_product(const std::vector<Loop>& output,
                  const std::vector<Loop>& reduced,
                  OpShape& shape) {
  Choice best;
  std::uint64_t best_size = 0;
  for (const std::size_t first : {std::size_t{1}, std::size_t{2}}) {
    for (const std::size_t row : candidates(output, first, 3 - first)) {
      for (const std::size_t column : candidates(output, 3 - first, first)) {
        for (const std::size_t inner : candidates(reduced, 1, 0)) {
          const Choice choice{row, column, inner};
          MatrixProduct product;
          const bool both = inner == kAbsent || reduced[inner].stride[2] != 0;
          const bool possible = both && product_of(output, reduced, choice, first, product);
          const std::uint64_t size = std::uint64_t{product.m} * product.n * product.k;
          if (possible && size > best_size) {
            best_size = size;
            best = choice;
            shape.product = product;
          }
        }
      }
    }
  }
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (i != best.row && i != best.column) {
      shape.loops.push_back(output[i]);
    }
  }
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (i != best.inner) {
      shape.reduced.push_back(reduced[i]);
    }
  }
  return best_size > 0;
}

}  // namespace berth::executors

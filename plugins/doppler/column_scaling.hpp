// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace berth::doppler {

/// Z of section 2 of the paper: (x - mean) / (std + 1e-6) per column, population std. In double,
/// because float sums turn a constant column of large values into +-1.
///
/// @param rows indices of the rows of x [*, columns] that are normalised, and over which.
/// @param out [rows.size(), columns]
void normalise_rows(std::span<const double> x,
                    std::size_t columns,
                    std::span<const std::uint32_t> rows,
                    std::span<float> out);

/// The same over all rows of x, in place.
void normalise_columns(std::span<double> x, std::size_t columns);

}  // namespace berth::doppler

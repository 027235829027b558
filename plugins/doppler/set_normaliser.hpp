// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

namespace berth::doppler {

/// Z over the rows of a small set (candidates or devices) of float embeddings, and its derivative.
/// Population std, epsilon 1e-6; moments in double; a constant column becomes 0.
class SetNormaliser {
 public:
  /// out[rows, columns] = Z(x[rows, columns]); remembers what backward() needs.
  void forward(std::size_t rows, std::size_t columns, const float* x, float* out);
  /// dx[rows, columns] += derivative, given the last forward()'s `out` and d(out).
  void backward(std::size_t rows, const float* out, const float* dout, float* dx) const;

 private:
  std::vector<double> mean_, square_;  ///< [columns]
  std::vector<float> inverse_;         ///< [columns] 1 / (std + eps); 0 for a constant column
  std::vector<float> stretch_;         ///< [columns] (std + eps) / std
};

}  // namespace berth::doppler

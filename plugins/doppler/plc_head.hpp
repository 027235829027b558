// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "head_weights.hpp"
#include "set_normaliser.hpp"
#include "tables.hpp"

namespace berth::doppler {

/// PLC's logits over the devices, one op at a time. Holds the sums of what is on each device,
/// which grow by one row a step. Allocates nothing after construction.
class PlcHead {
 public:
  PlcHead(const Architecture& architecture,
          const HeadWeights& weights,
          const Tables& tables,
          std::size_t devices);

  void reset();
  /// @param features [devices, device columns] @return [devices]
  std::span<const float> logits(std::uint32_t op, std::span<const float> features);
  void assigned(std::uint32_t op, std::uint32_t device);

 private:
  const Architecture* architecture_;
  const HeadWeights* weights_;
  const Tables* tables_;
  std::size_t devices_;
  std::size_t row_;
  SetNormaliser normaliser_;
  std::vector<float> sums_;  ///< [devices, row]
  std::vector<float> scaled_sums_, device_, hidden_, logits_;
};

/// Width of a row of Tables::plc_row.
[[nodiscard]] inline std::size_t row_width(const Architecture& architecture) noexcept {
  return architecture.normalise ? architecture.hidden : architecture.head + architecture.affinity;
}

}  // namespace berth::doppler

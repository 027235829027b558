// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gdp_net.hpp"
#include "placeto_net.hpp"

namespace berth::learned {

/// Weights by name, in double.
class PlainWeights {
 public:
  PlainWeights(const doppler::ParameterLayout& layout, const std::vector<double>& flat)
      : layout_(&layout), flat_(&flat) {}

  [[nodiscard]] const double* at(const std::string& name) const {
    return flat_->data() + layout_->find(name).offset;
  }
  /// W x + b
  [[nodiscard]] std::vector<double> linear(const std::vector<double>& x,
                                           const std::string& name) const;
  /// linear(relu(linear(x)))
  [[nodiscard]] std::vector<double> two_layers(const std::vector<double>& x,
                                               const std::string& name) const;

 private:
  const doppler::ParameterLayout* layout_;
  const std::vector<double>* flat_;
};

/// Placeto's logits of one step, by its definition, one op and one number after the other.
[[nodiscard]] std::vector<double> plain_placeto(const PlacetoSizes& sizes,
                                                const NetGraph& graph,
                                                const PlainWeights& weights,
                                                const std::vector<std::uint32_t>& device,
                                                std::size_t step);

/// GDP's outputs of each step before the last linear layer and its logits.
struct PlainGdp {
  std::vector<std::vector<double>> output, logits;  ///< [steps]
};
/// @param before outputs that earlier segments are taken to have given; null: their own.
[[nodiscard]] PlainGdp plain_gdp(const GdpSizes& sizes,
                                 const NetGraph& graph,
                                 const PlainWeights& weights,
                                 const std::vector<std::vector<double>>* before);

}  // namespace berth::learned

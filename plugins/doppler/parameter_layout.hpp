// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "architecture.hpp"

namespace berth::doppler {

/// How a parameter starts.
enum class Initialiser : std::uint8_t {
  kZero,
  kUniform,     ///< Uniform in +-1/sqrt(fan_in), LibTorch's default for linear layers and GRUs.
  kOrthogonal,  ///< Orthonormal rows or columns.
};

struct Parameter {
  std::string name;  ///< For example "plc/hidden/weight".
  std::vector<std::int64_t> shape;
  std::size_t offset = 0;  ///< In the flat array of all weights.
  std::size_t size = 0;
  std::size_t fan_in = 1;
  Initialiser initialiser = Initialiser::kZero;
};

/// Where each parameter lies in the flat array of weights; of DOPPLER SEL first, then PLC.
class ParameterLayout {
 public:
  ParameterLayout() = default;  ///< Of other networks: see add().
  explicit ParameterLayout(const Architecture& architecture);

  void add(std::string name,
           std::vector<std::int64_t> shape,
           std::size_t fan_in,
           Initialiser initialiser);
  /// "<name>/weight" [out, in] and "<name>/bias" [out].
  void add_linear(const std::string& name,
                  std::size_t out,
                  std::size_t in,
                  Initialiser initialiser);

  const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t sel_size() const noexcept { return sel_size_; }
  std::size_t plc_size() const noexcept { return size_ - sel_size_; }
  /// @throws InternalError for an unknown name.
  const Parameter& find(const std::string& name) const;

 private:
  void add_encoder(const std::string& net, const Architecture& architecture);

  std::vector<Parameter> parameters_;
  std::size_t size_ = 0;
  std::size_t sel_size_ = 0;
};

}  // namespace berth::doppler

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device_features.hpp"
#include "prepared_problem.hpp"
#include "sel_head.hpp"
#include "settings.hpp"

namespace berth::doppler {

/// What is to be learned from one sequence of decisions: the loss is
/// - sum over steps of [ sel_weight log p(pick) + plc_weight log p(device)
///                       + teacher weights * sum of log p over the teacher's tied answers ]
/// + entropy_weight * sum of p log p.
struct Lesson {
  std::span<const std::uint32_t> op;      ///< [steps]
  std::span<const std::uint32_t> device;  ///< [steps]; read where `placement` is empty
  std::span<const DeviceId> placement;    ///< [ops] or empty: the devices, up to exchangeable ones
  std::span<const float> sel_weight;      ///< [steps]
  std::span<const float> plc_weight;      ///< [steps]
  float sel_teacher = 0.0F;
  float plc_teacher = 0.0F;
  float entropy_weight = 0.0F;
};

/// Log-probabilities of a sequence under the current weights.
struct LogProbabilities {
  std::vector<double> sel, plc;  ///< [steps]
};

/// Recomputes sequences of decisions with the derivative of their loss: by the tables, and by the
/// weights of the heads. One object serves many sequences of one problem, one thread.
class Replay {
 public:
  Replay(const PreparedProblem& prepared, const Settings& settings);

  /// Adds the gradient of a lesson. @param log_probabilities filled where not null.
  void learn(const Lesson& lesson, LogProbabilities* log_probabilities = nullptr);

  [[nodiscard]] const Tables& table_gradient() const noexcept { return tables_; }
  /// Adds the gradient of the heads' weights to `out` [layout.size()].
  void write(const ParameterLayout& layout, std::span<float> out) const;

 private:
  struct Episode;

  void walk(const Lesson& lesson, Episode& episode, LogProbabilities* log_probabilities);
  void ask(const DeviceTimeline& timeline,
           DeviceFeatures& features,
           float teacher,
           Episode& episode);
  void learn_sel(const Lesson& lesson,
                 std::size_t step,
                 std::span<const std::uint32_t> candidates,
                 std::size_t pick,
                 LogProbabilities* log_probabilities);
  void learn_plc(const Lesson& lesson, Episode& episode, LogProbabilities* log_probabilities);
  void plc_forward(const Lesson& lesson, Episode& episode);
  void plc_backward(const Lesson& lesson, Episode& episode);

  const PreparedProblem* prepared_;
  const Settings* settings_;
  Tables tables_;
  SelHead sel_;
  std::unique_ptr<SelHead::Gradient> sel_gradient_;
  LinearGradient device_, device_block_, row_block_;
  std::vector<float> device_bias_, output_;
  float output_bias_ = 0.0F;
  std::vector<std::uint32_t> taught_, taught_picks_;
  std::vector<float> probability_, target_, dlogits_;
};

}  // namespace berth::doppler

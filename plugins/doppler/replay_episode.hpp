// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plc_head.hpp"
#include "replay.hpp"

namespace berth::doppler {

/// All steps of one episode in PLC's view, a row for each (step, device).
struct Replay::Episode {
  Episode(const ProblemView& view, const Architecture& architecture)
      : devices(view.num_devices()), columns(architecture.device_columns) {
    const std::size_t rows = view.num_ops() * devices;
    taken.resize(view.num_ops());
    features.resize(rows * columns);
    legal.resize(rows);
    target.assign(rows, 0.0F);
    logits.resize(rows);
    dlogits.assign(rows, 0.0F);
    device_raw.resize(rows * architecture.hidden);
    device.resize(rows * architecture.hidden);
    hidden_raw.resize(rows * architecture.head);
    hidden.resize(rows * architecture.head);
    sums.resize(rows * row_width(architecture));
    if (architecture.normalise) {
      scaled.resize(sums.size());
      normaliser.resize(view.num_ops());
    }
  }

  std::span<float> features_at(std::size_t step) {
    return std::span(features).subspan(step * devices * columns, devices * columns);
  }
  std::span<std::uint8_t> legal_at(std::size_t step) {
    return std::span(legal).subspan(step * devices, devices);
  }
  std::span<float> target_at(std::size_t step) {
    return std::span(target).subspan(step * devices, devices);
  }
  std::span<float> logits_at(std::size_t step) {
    return std::span(logits).subspan(step * devices, devices);
  }
  std::span<float> dlogits_at(std::size_t step) {
    return std::span(dlogits).subspan(step * devices, devices);
  }

  std::size_t devices;
  std::size_t columns;
  std::vector<std::uint32_t> taken;       ///< [steps] device of each step
  std::vector<float> features;            ///< [rows, columns]
  std::vector<std::uint8_t> legal;        ///< [rows]
  std::vector<float> target;              ///< [rows] weights on log p
  std::vector<float> logits, dlogits;     ///< [rows]
  std::vector<float> device_raw, device;  ///< [rows, hidden] before and after the activation
  std::vector<float> hidden_raw, hidden;  ///< [rows, head]
  std::vector<float> sums;                ///< [rows, row width] what is on each device
  std::vector<float> scaled;              ///< [rows, row width] the sums, normalised
  std::vector<SetNormaliser> normaliser;  ///< [steps]
};

}  // namespace berth::doppler

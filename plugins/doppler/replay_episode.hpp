// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plc_head.hpp"
#include "replay.hpp"

namespace berth::doppler {

/// All steps of one episode in PLC's view, a row for each (step, op in question, device). The op in
/// question is the picked one; with one policy over pairs, each candidate.
struct Replay::Episode {
  Episode(const ProblemView& view, const Architecture& architecture)
      : devices(view.num_devices()), columns(architecture.device_columns) {
    first_item.push_back(0);
    taken.resize(view.num_ops());
    taken_row.resize(view.num_ops());
    sums.resize(view.num_ops() * devices * row_width(architecture));
    if (architecture.normalise) {
      scaled.resize(sums.size());
      normaliser.resize(view.num_ops());
    }
  }

  /// Adds the rows of an op in question. @return its item.
  std::size_t add_item(std::uint32_t op) {
    item_op.push_back(op);
    features.resize(features.size() + devices * columns);
    legal.resize(legal.size() + devices);
    target.resize(target.size() + devices, 0.0F);
    return item_op.size() - 1;
  }
  void end_step() { first_item.push_back(item_op.size()); }

  /// Makes room for what is computed of the rows, once all are there.
  void allocate(const Architecture& architecture) {
    const std::size_t rows = item_op.size() * devices;
    logits.resize(rows);
    dlogits.assign(rows, 0.0F);
    device_raw.resize(rows * architecture.hidden);
    device.resize(rows * architecture.hidden);
    hidden_raw.resize(rows * architecture.head);
    hidden.resize(rows * architecture.head);
  }

  std::span<float> features_of(std::size_t item) {
    return std::span(features).subspan(item * devices * columns, devices * columns);
  }
  std::span<std::uint8_t> legal_of(std::size_t item) {
    return std::span(legal).subspan(item * devices, devices);
  }
  std::span<float> target_of(std::size_t item) {
    return std::span(target).subspan(item * devices, devices);
  }
  /// The rows of a step, of any array with one value a row.
  template <class Value>
  std::span<Value> at_step(std::vector<Value>& of_rows, std::size_t step) {
    const std::size_t first = first_item[step] * devices;
    return std::span(of_rows).subspan(first, first_item[step + 1] * devices - first);
  }

  std::size_t devices;
  std::size_t columns;
  std::vector<std::uint32_t> item_op;     ///< [items] op in question
  std::vector<std::size_t> first_item;    ///< [steps + 1]
  std::vector<std::uint32_t> taken;       ///< [steps] device of each step
  std::vector<std::size_t> taken_row;     ///< [steps] row of the op and device of each step
  std::vector<float> features;            ///< [rows, columns]
  std::vector<std::uint8_t> legal;        ///< [rows]
  std::vector<float> target;              ///< [rows] weights on log p
  std::vector<float> logits, dlogits;     ///< [rows]
  std::vector<float> device_raw, device;  ///< [rows, hidden] before and after the activation
  std::vector<float> hidden_raw, hidden;  ///< [rows, head]
  std::vector<float> sums;                ///< [steps, devices, row width] what is on each device
  std::vector<float> scaled;              ///< likewise, normalised; there rows are (step, device)
  std::vector<SetNormaliser> normaliser;  ///< [steps]
};

}  // namespace berth::doppler

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace berth::launcher {

/// What one node is to do in a slot.
struct CopyOrder {
  std::int32_t job = -1;         ///< -1: rest.
  std::uint64_t planned = 0;     ///< Steps by the rates believed.
  std::uint64_t first_step = 0;  ///< Which samples its steps see.
  std::uint64_t steps = 0;       ///< At most so many.
  double seconds = 0.0;          ///< From the order on, no step starts later; 0: no limit.
  bool validates = false;        ///< Reports its loss on validation samples.
  std::uint64_t values = 0;      ///< Numbers of the job's state, which follows.
  std::uint64_t schedule_steps = 0;
  std::uint64_t optimizer_steps = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& job& planned& first_step& steps& seconds& validates& values;
    archive& schedule_steps& optimizer_steps;
  }
};

/// One slot, by node. A slot that ends the run has no orders.
struct SlotOrders {
  bool ends = false;
  std::uint64_t round = 0;
  std::vector<CopyOrder> nodes;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& ends& round& nodes;
  }
};

/// What a node did in a slot.
struct CopyReport {
  std::uint64_t steps = 0;
  double prepare_seconds = 0.0;  ///< Making the model and taking over its state.
  double seconds = 0.0;          ///< Training, pauses of an emulated slower node included.
  double mean_loss = 0.0;
  double validation_loss = 0.0;  ///< If it was to be told.
  std::uint64_t schedule_steps = 0;
  std::uint64_t optimizer_steps = 0;
  std::string failure;  ///< Why nothing counts; empty: all is well.
  int stop_signal = 0;  ///< A signal has asked this rank to stop.

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& steps& prepare_seconds& seconds& mean_loss& validation_loss;
    archive& schedule_steps& optimizer_steps& failure& stop_signal;
  }
};

[[nodiscard]] std::string encode(const SlotOrders& orders);
[[nodiscard]] std::string encode(const CopyReport& report);
/// @throws InternalError if `bytes` holds something else.
[[nodiscard]] SlotOrders decode_orders(const std::string& bytes);
[[nodiscard]] CopyReport decode_copy_report(const std::string& bytes);

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "device_timeline.hpp"

namespace berth::doppler {

inline constexpr std::size_t kPaperDeviceColumns = 5;
inline constexpr std::size_t kRichDeviceColumns = 16;

/// The rows that PLC sees: one a device, for the op that the timeline looks at.
///
/// Paper (section 2): load, comp of v's predecessors on d, their least start, their greatest end
/// (0 if none), EST(v,d); time units, to be normalised over the devices.
///
/// Rich, all without units: times relative to the problem's lower bound or to the op's own size
/// (x / (1 + x)), shares of relatives that are on d already. Devices are told apart by when they
/// would have finished the op and by its time there relative to the best; where all devices compute
/// alike that is when they could start it. Counters are kept up to date by assigned(), so a row
/// costs O(in-degree + out-degree).
class DeviceFeatures {
 public:
  DeviceFeatures(const ProblemView& view, bool rich);

  [[nodiscard]] std::size_t columns() const noexcept {
    return rich_ ? kRichDeviceColumns : kPaperDeviceColumns;
  }
  void reset();
  /// @param out [devices, columns()]; paper features are normalised over the devices.
  void fill(const DeviceTimeline& timeline, std::span<float> out);
  /// To be told after timeline.assign().
  void assigned(const DeviceTimeline& timeline, std::uint32_t device);

 private:
  void fill_paper(const DeviceTimeline& timeline, std::span<float> out);
  void fill_rich(const DeviceTimeline& timeline, std::span<float> out);
  [[nodiscard]] double relatives_on(std::uint32_t v, std::size_t d, double& co_consumers) const;

  const ProblemView* view_;
  bool rich_;
  std::vector<std::uint32_t> all_devices_;
  std::vector<double> raw_;         ///< [devices, 5]
  std::vector<double> input_on_;    ///< [ops, devices] comm of v's inputs that are on d
  std::vector<float> consumer_on_;  ///< [ops, devices] successors of u on d
  std::vector<float> run_on_;       ///< [runs, devices] blocks of a run on d
};

}  // namespace berth::doppler

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "berth/partition_problem.hpp"

namespace berth::datasets {

/// What replaces the numbers of a partition file.
struct PartitionSetup {
  std::optional<std::uint32_t> devices;  ///< Accelerators.
  std::optional<double> memory_bytes;    ///< Of one accelerator.
  std::optional<std::uint32_t> micro_batches;
  std::optional<double> bytes_per_second;  ///< Of one link; Piper alone.
};

enum class PartitionFormat : std::uint8_t {
  kPiper,    ///< github.com/msr-fiddle/piper: nodes with TMPCs per tensor degree.
  kMaxLoad,  ///< github.com/msr-fiddle/dnn-partitioning: nodes with fpgaLatency and colorClass.
};

/// Which of the formats a file is, by its content; nothing if it is neither or no JSON object.
[[nodiscard]] std::optional<PartitionFormat> partition_format(const std::filesystem::path& file);

/// Reads a layer graph to cut into stages.
///
/// Piper: every variant of a node costs timePerSample seconds, memoryUsageA bytes per sample in
/// flight and memoryUsageB bytes beside; a crossing edge takes 2 communicationCost / bandwidth
/// seconds, and 2 syncTimeFw[source] / bandwidth (at the receiver) or 2 syncTimeBw[dest] /
/// bandwidth (at the sender) more.
/// Maximum load: fpgaLatency on the maxFPGAs accelerators (not where supportedOnFpga is false),
/// cpuLatency on the maxCPUs hosts, in the file's unit of time; `cost` once per producer whose
/// output crosses; nodes of one colorClass stay together; maxSizePerFPGA limits the sum of `size`.
/// @throws InputError "file: path: found; expected", or naming a setting that the format has not.
[[nodiscard]] PartitionProblem read_partition_file(const std::filesystem::path& file,
                                                   const PartitionSetup& setup);

}  // namespace berth::datasets

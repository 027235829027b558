// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <vector>

#include "throughput_table.hpp"

namespace berth::datasets {

/// What the rule knows of a model: counted from its architecture, for one sample.
struct TrainingModel {
  const char* name;
  double forward_flops;  ///< A multiply-add counts two.
  double parameters;
  double activation_bytes;             ///< Kept from the forward for the backward pass, 32 bit.
  std::vector<std::uint32_t> batches;  ///< Of one worker; 0: the model has one batch size only.
  bool runs_in_gangs;
};

/// The seven models of the job types in Gavel's traces, 26 types in all, in the order in which
/// Gavel's generator draws them.
[[nodiscard]] std::span<const TrainingModel> training_models();

/// An estimate from data sheets, for a first look at a cluster that nobody has measured:
///   step  = max(3 F B / (0.35 peak), 3 A B / bandwidth) + 10 ms
///   gang  = step + 2 (W - 1) / W . 4 P / link, link = 12 GB/s in a machine, 1.25 GB/s between
///   rate  = W / gang, steps/s of all workers; 0 where 16 P + A B exceeds 90 % of the memory
/// with F forward flops, A activation bytes, P parameters (training_models()), B the batch of a
/// worker, W the gang; peak in single precision, bandwidth and memory from the catalogue of
/// accelerators. The backward pass counts two forwards. Errors of 1.6x and a wrong order of two
/// types in one of seven pairs are typical of estimates from data sheets; measure before you buy.
///
/// @param gpus Names of the catalogue, or their beginnings ("v100": the first that starts so, in
/// any case). Gangs of 1, 2, 4, 8 and 16.
/// @throws InputError naming the accelerators that are known.
[[nodiscard]] ThroughputTable estimate_throughputs(std::span<const std::string> gpus);

}  // namespace berth::datasets

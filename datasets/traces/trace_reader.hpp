// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/cluster.hpp"
#include "berth/cluster_job.hpp"

#include "throughput_table.hpp"

namespace berth::datasets {

/// A job of a trace before it is priced on a cluster.
struct TraceJob {
  std::string place;  ///< "file:line", for messages.
  JobType type;
  std::uint32_t gang = 1;
  double total_steps = 0.0;       ///< 0: not stated, `duration_seconds` is.
  double duration_seconds = 0.0;  ///< On the reference accelerator.
  double weight = 1.0;
  double arrival_seconds = 0.0;
  std::map<std::string, double> rates;         ///< Own steps/s by accelerator, else empty.
  std::map<std::string, double> spread_rates;  ///< Own steps/s of a spread gang, else empty.
};

/// Reads a job trace; the format is recognised by its content:
///  - CSV "job_id,model,batch_size,scale_factor,total_steps,priority_weight,arrival_s";
///  - Philly-like CSV "job_id,arrival_s,num_gpus,duration_s,...,category"; categories S, M, L, XL
///    become ResNet-18 b128, CycleGAN (one GPU) or LM b20, Transformer b64, ResNet-50 b64;
///  - Tiresias CSV "job_id,num_gpu,submit_time,iterations,model_name,duration,interval";
///  - Sia CSV "time,application,num_replicas,...": applications become models of their size class,
///    of 0.3 (cifar10, ncf), 3.2 (bert, deepspeech2), 32 (yolov3) or 178 (imagenet) GPU-hours;
///  - Gavel text, tab separated: 10 fields or the older 7; Shockwave's 12, whose batch sizes stay
///    what they are at the start;
///  - Berth JSON {"format": "berth.jobs/1", "jobs": [...]}, with or without own rates.
/// Jobs are numbered from 0 in the order of the file. A job_id of the first two forms must be that
/// number; Tiresias counts from 1, and its job_id is not looked at.
/// @throws InputError naming file, line, what was found and what was expected.
[[nodiscard]] std::vector<TraceJob> read_trace(const std::filesystem::path& file);

/// Prices jobs on a cluster. Jobs with own rates need no table. A stated duration becomes
/// floor(duration * rate on `reference_gpu`) steps. A job needs a rate > 0 in one machine.
/// @throws InputError naming the job and what is missing.
[[nodiscard]] std::vector<JobSpec> price_jobs(std::span<const TraceJob> trace,
                                              const Cluster& cluster,
                                              const std::optional<ThroughputTable>& table,
                                              const std::string& reference_gpu = "v100");

}  // namespace berth::datasets

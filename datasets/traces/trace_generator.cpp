// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "trace_generator.hpp"

#include <cmath>
#include <cstdio>
#include <ostream>

#include "berth/mersenne_stream.hpp"

#include "throughput_estimate.hpp"

namespace berth::datasets {
namespace {

// In the order of Gavel's job table.
std::vector<JobType> job_types() {
  std::vector<JobType> types;
  for (const TrainingModel& model : training_models()) {
    for (const std::uint32_t batch : model.batches) {
      types.push_back({model.name, batch});
    }
  }
  return types;
}

constexpr std::uint32_t kDistributedTypes = 19;  // the first; the others run on one GPU only

std::uint32_t draw_gang(MersenneStream& stream) {
  const double u = stream.uniform();
  if (u < 0.7) {
    return 1;
  }
  if (u <= 0.8) {
    return 2;
  }
  return u <= 0.95 ? 4 : 8;
}

double draw_duration(MersenneStream& stream) {
  const bool is_long = stream.uniform() >= 0.8;
  return 60.0 * std::pow(10.0, is_long ? stream.uniform(3.0, 4.0) : stream.uniform(1.5, 3.0));
}

}  // namespace

std::vector<TraceJob> generate_trace(const TraceGeneratorOptions& options,
                                     const ThroughputTable& table) {
  const std::vector<JobType> types = job_types();
  const std::string reference = "v100";
  MersenneStream jobs_stream(options.seed + 2);
  MersenneStream gaps_stream(options.seed + 3);
  std::vector<TraceJob> jobs;
  double arrival = 0.0;
  for (std::uint32_t i = 0; i < options.num_jobs; ++i) {
    TraceJob job;
    job.place = "generated job " + std::to_string(i);
    const std::uint32_t drawn = draw_gang(jobs_stream);
    job.gang = options.gangs ? drawn : 1;
    const double duration = draw_duration(jobs_stream);
    std::uint32_t choice = 0;
    do {
      choice = jobs_stream.below(static_cast<std::uint32_t>(types.size()));
    } while (job.gang > 1 && choice >= kDistributedTypes);
    job.type = types[choice];
    const double rate =
        table.rates(job.place, job.type, job.gang, std::span(&reference, 1), true).front();
    job.total_steps = std::floor(duration * rate);
    if (i > 0 && options.mean_gap_seconds > 0.0) {
      arrival += -std::log(1.0 - gaps_stream.uniform()) * options.mean_gap_seconds;
    }
    job.arrival_seconds = arrival;
    jobs.push_back(job);
  }
  return jobs;
}

void write_trace_csv(std::span<const TraceJob> jobs, std::ostream& out) {
  out << "job_id,model,batch_size,scale_factor,total_steps,priority_weight,arrival_s\n";
  for (std::size_t id = 0; id < jobs.size(); ++id) {
    const TraceJob& job = jobs[id];
    char numbers[160];
    std::snprintf(numbers,
                  sizeof numbers,
                  ",%u,%.0f,%.15g,%.6f\n",
                  job.gang,
                  job.total_steps,
                  job.weight,
                  job.arrival_seconds);
    out << id << ',' << job.type.model << ','
        << (job.type.batch_size == 0 ? "" : std::to_string(job.type.batch_size)) << numbers;
  }
}

}  // namespace berth::datasets

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "trace_reader.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "berth/error.hpp"

#include "csv_file.hpp"
#include "trace_json.hpp"

namespace berth::datasets {
namespace {

/// Jobs are named by their number in the file, so a file must not number them otherwise.
void check_job_id(const CsvFile& csv, std::size_t row) {
  if (csv.has_column("job_id") && csv.whole(row, "job_id") != row) {
    throw InputError(csv.place(row) + ": job_id: '" + csv.text(row, "job_id") + "'; expected " +
                     std::to_string(row) + ", jobs are numbered from 0 in the order of the file");
  }
}

std::vector<TraceJob> read_model_csv(const CsvFile& csv) {
  std::vector<TraceJob> jobs;
  for (std::size_t row = 0; row < csv.num_rows(); ++row) {
    check_job_id(csv, row);
    TraceJob job;
    job.place = csv.place(row);
    job.type.model = csv.text(row, "model");
    job.type.batch_size = csv.text(row, "batch_size").empty() ? 0 : csv.whole(row, "batch_size");
    job.gang = csv.whole(row, "scale_factor");
    job.total_steps = csv.number(row, "total_steps");
    job.weight = csv.number(row, "priority_weight");
    job.arrival_seconds = csv.number(row, "arrival_s");
    jobs.push_back(job);
  }
  return jobs;
}

// The classes of the Hadar evaluation by GPU-hours; the batch sizes are ours.
JobType model_of_category(const std::string& place,
                          const std::string& category,
                          std::uint32_t gang) {
  if (category == "S") {
    return {"ResNet-18", 128};
  }
  if (category == "M") {
    return gang == 1 ? JobType{"CycleGAN", 0} : JobType{"LM", 20};
  }
  if (category == "L") {
    return {"Transformer", 64};
  }
  if (category == "XL") {
    return {"ResNet-50", 64};
  }
  throw InputError(place + ": category '" + category + "'; expected S, M, L or XL");
}

// Gangs are measured for 1, 2, 4 and 8 workers only.
std::uint32_t measured_gang(std::uint32_t gpus) {
  std::uint32_t gang = 1;
  while (gang < gpus && gang < 8) {
    gang *= 2;
  }
  return gang;
}

std::vector<TraceJob> read_philly_csv(const CsvFile& csv) {
  std::vector<TraceJob> jobs;
  for (std::size_t row = 0; row < csv.num_rows(); ++row) {
    check_job_id(csv, row);
    TraceJob job;
    job.place = csv.place(row);
    job.gang = measured_gang(csv.whole(row, "num_gpus"));
    job.type = model_of_category(job.place, csv.text(row, "category"), job.gang);
    job.duration_seconds = csv.number(row, "duration_s");
    job.arrival_seconds = csv.number(row, "arrival_s");
    jobs.push_back(job);
  }
  return jobs;
}

std::vector<TraceJob> read_tiresias_csv(const CsvFile& csv) {
  std::vector<TraceJob> jobs;
  for (std::size_t row = 0; row < csv.num_rows(); ++row) {
    TraceJob job;
    job.place = csv.place(row);
    job.type = parse_job_type(job.place, csv.text(row, "model_name"));
    job.gang = csv.whole(row, "num_gpu");
    job.total_steps = csv.number(row, "iterations");
    job.duration_seconds = csv.number(row, "duration");
    job.arrival_seconds = csv.number(row, "submit_time");
    jobs.push_back(job);
  }
  return jobs;
}

// Sia's workloads name an application and run it to its end, which they do not state. Each becomes
// a model of its size class, with the geometric middle of the class: S below 1 GPU-hour, M to 10,
// L to 100, XL to 316.
struct SiaApplication {
  const char* name;
  JobType type;
  double gpu_hours;
};
const SiaApplication kSiaApplications[] = {{"cifar10", {"ResNet-18", 128}, 0.3},
                                           {"ncf", {"LM", 20}, 0.3},
                                           {"bert", {"Transformer", 64}, 3.2},
                                           {"deepspeech2", {"LM", 20}, 3.2},
                                           {"yolov3", {"ResNet-50", 64}, 32.0},
                                           {"imagenet", {"ResNet-50", 64}, 178.0}};

std::vector<TraceJob> read_sia_csv(const CsvFile& csv) {
  std::vector<TraceJob> jobs;
  for (std::size_t row = 0; row < csv.num_rows(); ++row) {
    TraceJob job;
    job.place = csv.place(row);
    const std::string& name = csv.text(row, "application");
    const auto* const known = std::find_if(
        std::begin(kSiaApplications),
        std::end(kSiaApplications),
        [&name](const SiaApplication& application) { return application.name == name; });
    if (known == std::end(kSiaApplications)) {
      throw InputError(job.place + ": application '" + name +
                       "'; expected cifar10, ncf, bert, deepspeech2, yolov3 or imagenet");
    }
    job.type = known->type;
    job.gang = measured_gang(csv.whole(row, "num_replicas"));
    job.duration_seconds = known->gpu_hours * 3600.0 / job.gang;
    job.arrival_seconds = csv.number(row, "time");
    jobs.push_back(job);
  }
  return jobs;
}

std::vector<TraceJob> read_csv(const std::filesystem::path& file) {
  const CsvFile csv(file);
  if (csv.has_column("scale_factor") && csv.has_column("total_steps")) {
    return read_model_csv(csv);
  }
  if (csv.has_column("category") && csv.has_column("duration_s")) {
    return read_philly_csv(csv);
  }
  if (csv.has_column("submit_time") && csv.has_column("iterations")) {
    return read_tiresias_csv(csv);
  }
  if (csv.has_column("application") && csv.has_column("num_replicas")) {
    return read_sia_csv(csv);
  }
  std::string header;
  for (const std::string& column : csv.header()) {
    header += (header.empty() ? "" : ",") + column;
  }
  throw InputError(file.string() + ": header '" + header +
                   "' is of no known trace; expected model, batch_size, scale_factor, total_steps, "
                   "priority_weight, arrival_s, or a Philly-like, Tiresias or Sia header");
}

// Positions of the fields that matter in a tab-separated trace of Gavel or Shockwave, by number of
// fields.
struct TabLayout {
  std::size_t steps, gang, weight, arrival;
};

std::vector<TraceJob> read_tab_trace(const std::string& name,
                                     const std::vector<std::string>& lines) {
  constexpr std::size_t kNone = 99;
  std::vector<TraceJob> jobs;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) {
      continue;
    }
    const std::vector<std::string> fields = split(lines[i], '\t');
    TraceJob job;
    job.place = name + ":" + std::to_string(i + 1);
    TabLayout layout{};
    if (fields.size() == 10) {
      layout = {5, 6, 7, 9};
    } else if (fields.size() == 7) {
      layout = {4, 6, kNone, 5};
    } else if (fields.size() == 12) {
      layout = {5, 6, 8, 11};
    } else {
      throw InputError(
          job.place + ": " + std::to_string(fields.size()) +
          " tab-separated fields; expected 10, 7 in the older form, or 12 in Shockwave's");
    }
    job.type = parse_job_type(job.place, fields[0]);
    job.total_steps = parse_number(job.place + ": total steps", fields[layout.steps]);
    const double gang = parse_number(job.place + ": scale factor", fields[layout.gang]);
    if (!(gang >= 1.0 && gang <= 1e6 && gang == std::floor(gang))) {
      throw InputError(job.place + ": scale factor: '" + fields[layout.gang] +
                       "'; expected a whole number from 1 to 1000000");
    }
    job.gang = static_cast<std::uint32_t>(gang);
    job.weight = layout.weight == kNone
                     ? 1.0
                     : parse_number(job.place + ": priority weight", fields[layout.weight]);
    job.arrival_seconds = parse_number(job.place + ": arrival", fields[layout.arrival]);
    jobs.push_back(job);
  }
  return jobs;
}

std::vector<double> own_rates(const TraceJob& job,
                              const Cluster& cluster,
                              const std::map<std::string, double>& by_name) {
  std::vector<double> rates;
  for (const std::string& gpu : cluster.type_names()) {
    const auto found = by_name.find(gpu);
    if (found == by_name.end()) {
      throw InputError(job.place + ": no rate for accelerator '" + gpu +
                       "' of the cluster; state it, 0 where the job cannot run");
    }
    rates.push_back(found->second);
  }
  return rates;
}

bool any_above_zero(std::span<const double> rates) {
  return std::ranges::any_of(rates, [](double rate) { return rate > 0.0; });
}

constexpr double kMostSteps = 1e15;
constexpr double kMostSeconds = 1e12;

double reference_rate(const TraceJob& job,
                      const std::optional<ThroughputTable>& table,
                      const std::string& gpu) {
  if (!job.rates.empty()) {
    const auto found = job.rates.find(gpu);
    return found == job.rates.end() ? 0.0 : found->second;
  }
  return table->rates(job.place, job.type, job.gang, std::span(&gpu, 1), true).front();
}

}  // namespace

std::vector<TraceJob> read_trace(const std::filesystem::path& file) {
  const std::vector<std::string> lines = read_lines(file);
  std::string first;
  for (const std::string& line : lines) {
    if (!line.empty()) {
      first = line;
      break;
    }
  }
  if (first.empty()) {
    throw InputError(file.string() + ": empty; expected a job trace");
  }
  if (first.front() == '{') {
    std::string text;
    for (const std::string& line : lines) {
      text += line + "\n";
    }
    return parse_trace_json(file.string(), text);
  }
  return first.find('\t') != std::string::npos ? read_tab_trace(file.string(), lines)
                                               : read_csv(file);
}

std::vector<JobSpec> price_jobs(std::span<const TraceJob> trace,
                                const Cluster& cluster,
                                const std::optional<ThroughputTable>& table,
                                const std::string& reference_gpu) {
  std::vector<JobSpec> jobs;
  for (const TraceJob& job : trace) {
    JobSpec spec;
    spec.name = to_string(job.type);
    spec.gang = job.gang;
    spec.weight = job.weight;
    spec.arrival_seconds = job.arrival_seconds;
    if (!job.rates.empty()) {
      spec.rates = own_rates(job, cluster, job.rates);
      spec.spread_rates =
          job.spread_rates.empty() ? spec.rates : own_rates(job, cluster, job.spread_rates);
    } else if (table) {
      spec.rates = table->rates(job.place, job.type, job.gang, cluster.type_names(), true);
      spec.spread_rates = table->rates(job.place, job.type, job.gang, cluster.type_names(), false);
    } else {
      throw InputError(job.place + ": job type '" + spec.name +
                       "' has no rates of its own; name a throughput table with --throughputs, or "
                       "take --throughputs estimated");
    }
    if (!any_above_zero(spec.rates) && any_above_zero(spec.spread_rates)) {
      throw InputError(job.place +
                       ": no rate in one machine on any accelerator of the cluster, only over "
                       "several; expected a rate > 0 in one machine on at least one");
    }
    spec.total_steps =
        job.total_steps > 0.0
            ? job.total_steps
            : std::floor(job.duration_seconds * reference_rate(job, table, reference_gpu));
    // Beyond, one step or one second more is no longer another number.
    if (spec.total_steps > kMostSteps || spec.arrival_seconds > kMostSeconds) {
      throw InputError(job.place +
                       ": more than 1e15 steps, or an arrival after 1e12 s; expected "
                       "what a simulation can count");
    }
    jobs.push_back(std::move(spec));
  }
  check_jobs(cluster, jobs);
  return jobs;
}

}  // namespace berth::datasets

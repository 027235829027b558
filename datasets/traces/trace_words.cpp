// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "trace_words.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>

#include "berth/error.hpp"

#include "csv_file.hpp"
#include "trace_generator.hpp"

namespace berth::datasets {
namespace {

constexpr std::uint32_t kMostJobs = 100000;
constexpr double kMostGapSeconds = 1e7;
constexpr double kMixSeconds = 1.5 * 3600.0;

[[noreturn]] void refuse(const std::string& word) {
  throw InputError("trace '" + word +
                   "': no such file, and no word; expected a file, generated:JOBS, "
                   "generated:JOBS:GAP_SECONDS, generated:JOBS:GAP_SECONDS:SEED or mix:JOBS, with "
                   "1 to " +
                   std::to_string(kMostJobs) + " jobs");
}

std::uint32_t whole(const std::string& word, const std::string& text, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most) {
    refuse(word);
  }
  return value;
}

}  // namespace

std::vector<TraceJob> make_mix(std::uint32_t jobs, const ThroughputTable& table) {
  const JobType cycle[] = {{"ResNet-18", 128},
                           {"LM", 80},
                           {"Transformer", 64},
                           {"Recommendation", 2048},
                           {"ResNet-50", 64}};
  const std::string reference = "v100";
  std::vector<TraceJob> mix(jobs);
  for (std::size_t i = 0; i < mix.size(); ++i) {
    TraceJob& job = mix[i];
    job.place = "job " + std::to_string(i) + " of the mix";
    job.type = cycle[i % std::size(cycle)];
    job.total_steps = std::floor(
        kMixSeconds * table.rates(job.place, job.type, 1, std::span(&reference, 1), true).front());
  }
  return mix;
}

std::vector<TraceJob> make_trace(const std::string& word_or_file,
                                 const std::optional<ThroughputTable>& table) {
  std::error_code ignored;
  if (std::filesystem::exists(word_or_file, ignored)) {
    return read_trace(word_or_file);
  }
  const std::vector<std::string> parts = split(word_or_file, ':');
  const bool generated = parts[0] == "generated" && parts.size() >= 2 && parts.size() <= 4;
  if (!generated && !(parts[0] == "mix" && parts.size() == 2)) {
    refuse(word_or_file);
  }
  const std::uint32_t jobs = whole(word_or_file, parts[1], kMostJobs);
  if (jobs == 0) {
    refuse(word_or_file);
  }
  if (!table) {
    throw InputError("trace '" + word_or_file +
                     "': its jobs are sized by throughputs; name a table with --throughputs, or "
                     "take --throughputs estimated");
  }
  if (!generated) {
    return make_mix(jobs, *table);
  }
  TraceGeneratorOptions options;
  options.num_jobs = jobs;
  if (parts.size() > 2) {
    options.mean_gap_seconds = parse_number("trace '" + word_or_file + "': gap", parts[2]);
    if (options.mean_gap_seconds > kMostGapSeconds) {
      refuse(word_or_file);
    }
  }
  options.seed = parts.size() > 3 ? whole(word_or_file, parts[3], 4000000000U) : 0;
  return generate_trace(options, *table);
}

}  // namespace berth::datasets

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "trace_json.hpp"

#include <nlohmann/json.hpp>

#include "berth/config.hpp"
#include "berth/error.hpp"

#include "rate_range.hpp"
#include "strict_json.hpp"

namespace berth::datasets {
namespace {

using nlohmann::json;

double number(const std::string& place, const json& value) {
  if (!value.is_number()) {
    throw InputError(place + ": " + value.dump() + "; expected a number");
  }
  return value.get<double>();
}

double positive(const std::string& place, const json& value) {
  const double result = number(place, value);
  if (!(result > 0.0)) {
    throw InputError(place + ": " + value.dump() + "; expected a number > 0");
  }
  return result;
}

std::map<std::string, double> rates(const std::string& place, const json& value) {
  if (!value.is_object()) {
    throw InputError(place + ": " + value.dump() +
                     "; expected {\"accelerator\": steps per second}");
  }
  std::map<std::string, double> result;
  for (const auto& [name, entry] : value.items()) {
    const std::string at = place + "/" + name;
    result[name] = number(at, entry);
    if (!is_rate(result[name])) {
      throw InputError(at + ": " + entry.dump() + "; expected " + kRateWords);
    }
  }
  return result;
}

std::string text(const std::string& place, const json& value) {
  if (!value.is_string()) {
    throw InputError(place + ": " + value.dump() + "; expected a string");
  }
  return value.get<std::string>();
}

TraceJob parse_job(const std::string& place, const json& value) {
  if (!value.is_object()) {
    throw InputError(place + ": " + value.dump() + "; expected an object");
  }
  TraceJob job;
  job.place = place;
  for (const auto& [key, entry] : value.items()) {
    const std::string at = place + "/" + key;
    if (key == "model") {
      job.type = parse_job_type(at, text(at, entry));
    } else if (key == "gang") {
      const double gang = number(at, entry);
      if (!(gang >= 1.0 && gang <= 1e6 && gang == static_cast<std::uint32_t>(gang))) {
        throw InputError(at + ": " + entry.dump() + "; expected a whole number > 0");
      }
      job.gang = static_cast<std::uint32_t>(gang);
    } else if (key == "total_steps") {
      job.total_steps = positive(at, entry);
    } else if (key == "duration_seconds") {
      job.duration_seconds = positive(at, entry);
    } else if (key == "arrival_seconds") {
      job.arrival_seconds = number(at, entry);
    } else if (key == "weight") {
      job.weight = number(at, entry);
    } else if (key == "rates") {
      job.rates = rates(at, entry);
    } else if (key == "spread_rates") {
      job.spread_rates = rates(at, entry);
    } else {
      const std::vector<std::string> known = {"model",
                                              "gang",
                                              "total_steps",
                                              "duration_seconds",
                                              "arrival_seconds",
                                              "weight",
                                              "rates",
                                              "spread_rates"};
      const std::string near = nearest_name(key, known);
      throw InputError(at + ": unknown key" +
                       (near.empty() ? "; expected model, gang, total_steps, duration_seconds, "
                                       "arrival_seconds, weight, rates or spread_rates"
                                     : "; did you mean '" + near + "'?"));
    }
  }
  if (job.rates.empty() && !job.spread_rates.empty()) {
    throw InputError(place + ": spread_rates without rates; expected both, or rates alone");
  }
  if ((job.total_steps > 0.0) == (job.duration_seconds > 0.0)) {
    throw InputError(place + ": " +
                     (job.total_steps > 0.0 ? "both total_steps and" : "neither total_steps nor") +
                     " duration_seconds; expected one of them");
  }
  return job;
}

}  // namespace

std::vector<TraceJob> parse_trace_json(const std::string& file, const std::string& text_in) {
  const json document = parse_strict_json(file, text_in, "berth.jobs/1");
  if (!document.is_object() || document.value("format", json()) != "berth.jobs/1") {
    throw InputError(file + ": no \"format\": \"berth.jobs/1\"; expected a job trace");
  }
  if (!document.contains("jobs") || !document["jobs"].is_array()) {
    throw InputError(file + ": no \"jobs\"; expected an array of jobs");
  }
  for (const auto& [key, value] : document.items()) {
    if (key != "format" && key != "jobs") {
      throw InputError(file + ":/" + key + ": unknown key; expected format and jobs");
    }
  }
  std::vector<TraceJob> jobs;
  for (const json& entry : document["jobs"]) {
    jobs.push_back(parse_job(file + ":/jobs/" + std::to_string(jobs.size()), entry));
  }
  return jobs;
}

}  // namespace berth::datasets

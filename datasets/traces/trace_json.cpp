// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "trace_json.hpp"

#include <nlohmann/json.hpp>

#include "berth/config.hpp"
#include "berth/error.hpp"

namespace berth::datasets {
namespace {

using nlohmann::json;

double number(const std::string& place, const json& value) {
  if (!value.is_number()) {
    throw InputError(place + ": " + value.dump() + "; expected a number");
  }
  return value.get<double>();
}

std::map<std::string, double> numbers(const std::string& place, const json& value) {
  if (!value.is_object()) {
    throw InputError(place + ": " + value.dump() +
                     "; expected {\"accelerator\": steps per second}");
  }
  std::map<std::string, double> result;
  for (const auto& [name, entry] : value.items()) {
    result[name] = number(place + "/" + name, entry);
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
      job.total_steps = number(at, entry);
    } else if (key == "duration_seconds") {
      job.duration_seconds = number(at, entry);
    } else if (key == "arrival_seconds") {
      job.arrival_seconds = number(at, entry);
    } else if (key == "weight") {
      job.weight = number(at, entry);
    } else if (key == "rates") {
      job.rates = numbers(at, entry);
    } else if (key == "spread_rates") {
      job.spread_rates = numbers(at, entry);
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
  return job;
}

}  // namespace

std::vector<TraceJob> parse_trace_json(const std::string& file, const std::string& text_in) {
  json document;
  try {
    document = json::parse(text_in);
  } catch (const json::parse_error& error) {
    throw InputError(file + ": not valid JSON at byte " + std::to_string(error.byte) +
                     "; expected a berth.jobs/1 document");
  }
  if (!document.is_object() || document.value("format", json()) != "berth.jobs/1") {
    throw InputError(file + ": no \"format\": \"berth.jobs/1\"; expected a job trace");
  }
  if (!document.contains("jobs") || !document["jobs"].is_array()) {
    throw InputError(file + ": no \"jobs\"; expected an array of jobs");
  }
  std::vector<TraceJob> jobs;
  for (const json& entry : document["jobs"]) {
    jobs.push_back(parse_job(file + ":/jobs/" + std::to_string(jobs.size()), entry));
  }
  return jobs;
}

}  // namespace berth::datasets

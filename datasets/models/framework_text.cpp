// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "framework_text.hpp"

#include "berth/error.hpp"

#include "framework_plans.hpp"
#include "megatron_arguments.hpp"

namespace berth::datasets {
namespace {

constexpr const char* kElsewhere =
    " as the rest of the plan has it; without its berth-plan line a file is read on its own";

// Absent fields are the framework's defaults, which the plan then states otherwise.
void check_fields(const std::string& place, const Fields& found, const Fields& written) {
  for (const auto& [key, value] : written) {
    const auto at = found.find(key);
    if (at != found.end() && at->second != value) {
      throw InputError(place + ": " + key + " " + shown(at->second) + "; expected " + shown(value) +
                       kElsewhere);
    }
  }
}

}  // namespace

Fields toml_fields(const SourceText& source) {
  Fields fields;
  LineReader lines(source.text);
  std::string section;
  while (lines.next_content()) {
    const std::string_view line = trimmed(lines.line());
    if (line.starts_with('[') && line.ends_with(']')) {
      section = line.substr(1, line.size() - 2);
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) {
      fields[section + "." + std::string(trimmed(line.substr(0, equals)))] =
          trimmed(line.substr(equals + 1));
    }
  }
  return fields;
}

Fields argument_fields(const SourceText& source) {
  Fields fields;
  LineReader lines(source.text);
  std::string last;
  while (lines.next_content()) {
    for (const std::string_view word : split(lines.line(), " \t\\'\"")) {
      if (word.starts_with("--")) {
        const std::size_t equals = word.find('=');
        last = word.substr(0, equals);
        fields[last] = equals == std::string_view::npos ? "" : word.substr(equals + 1);
      } else if (!last.empty() && fields[last].empty()) {
        fields[last] = word;
      }
    }
  }
  return fields;
}

void check_torchtitan_fields(const SourceText& source,
                             const StrategyProblem& problem,
                             const ParallelPlan& plan) {
  check_fields(source.place,
               toml_fields(source),
               toml_fields({source.place, torchtitan_fields(problem, plan, 0)}));
}

void check_megatron_fields(const SourceText& source,
                           const StrategyProblem& problem,
                           const ParallelPlan& plan) {
  check_fields(source.place,
               argument_fields(source),
               argument_fields({source.place, megatron_arguments(problem, plan)}));
}

void check_galvatron_fields(const JsonField& root,
                            const StrategyProblem& problem,
                            const ParallelPlan& plan) {
  const nlohmann::json written = nlohmann::json::parse(galvatron_json(problem, plan));
  for (const auto& [key, value] : written.items()) {
    if (key != "berth" && root.json().contains(key) && root.json()[key] != value) {
      root.at(key).fail(shown(value.dump()) + kElsewhere);
    }
  }
}

}  // namespace berth::datasets

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "bench_nest_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "datasets/atomic_file.hpp"
#include "page_parts.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

double published_value(const PublishedPoint& point, const std::string& planner) {
  return planner == "manual"  ? point.manual
         : planner == "mcmc"  ? point.mcmc
         : planner == "alpa"  ? point.alpa
         : planner == "phaze" ? point.phaze
                              : 0.0;
}

// A result with no planner behind it, where a planner was not run on a case.
bool has(const CaseResult& result, std::size_t planner) {
  return planner < result.results.size();
}

std::string cell(const CaseResult& result, std::size_t planner) {
  if (!has(result, planner)) {
    return "";
  }
  const PlannerResult& own = result.results[planner];
  if (own.seconds == 0.0) {
    return "-";
  }
  if (planner == 0) {
    return significant(own.seconds, 5) + " s";
  }
  const double base = result.results[0].seconds;
  if (base == 0.0) {
    return significant(own.seconds, 5) + " s";
  }
  std::string text = fixed(own.seconds / base, 3);
  text += own.best_cuts > 0.0 ? " (" + fixed(own.best_cuts / base, 3) + ")" : "";
  return text;
}

std::string gain_text(const Gain& gain) {
  return gain.cases == 0 ? "-" : fixed(gain.mean, 3) + " (" + std::to_string(gain.cases) + ")";
}

std::vector<CaseResult> of_experiment(std::span<const CaseResult> results, const char* name) {
  std::vector<CaseResult> own;
  for (const CaseResult& result : results) {
    if (result.plan_case.experiment == name) {
      own.push_back(result);
    }
  }
  return own;
}

std::vector<std::string> header(std::span<const PolicyRequest> planners) {
  std::vector<std::string> cells = {"case"};
  for (const PolicyRequest& planner : planners) {
    cells.push_back(planner.name);
  }
  return cells;
}

// Without those at the end that no case of these was run with.
std::span<const PolicyRequest> run_on(std::span<const CaseResult> results,
                                      std::span<const PolicyRequest> planners) {
  std::size_t most = 0;
  for (const CaseResult& result : results) {
    most = std::max(most, result.results.size());
  }
  return planners.first(std::min(most, planners.size()));
}

using Rows = std::vector<std::vector<std::string>>;

Rows time_rows(std::span<const PolicyRequest> planners, std::span<const CaseResult> results) {
  Rows rows = {header(planners)};
  for (const CaseResult& result : results) {
    rows.push_back({result.plan_case.label()});
    for (std::size_t p = 0; p < planners.size(); ++p) {
      rows.back().push_back(cell(result, p));
    }
  }
  return rows;
}

Rows gain_rows(std::span<const PolicyRequest> planners, std::span<const CaseResult> results) {
  Rows rows = {header(planners)};
  rows[0][0] = "time over " + planners[0].name + ", geometric mean (cases)";
  rows.insert(rows.end(), {{"as planned"}, {"best cuts for its degrees"}, {"published"}});
  rows.push_back({"search, seconds a case"});
  for (std::size_t p = 0; p < planners.size(); ++p) {
    rows[1].push_back(gain_text(measured_gain(results, p, /*best_cuts=*/false)));
    rows[2].push_back(gain_text(measured_gain(results, p, /*best_cuts=*/true)));
    const auto published = published_gain(results, planners[p].name);
    rows[3].push_back(published ? gain_text(*published) : "");
    double seconds = 0.0;
    std::size_t runs = 0;
    for (const CaseResult& result : results) {
      seconds += has(result, p) ? result.results[p].search_seconds : 0.0;
      runs += has(result, p) ? 1 : 0;
    }
    rows[4].push_back(runs == 0 ? "" : significant(seconds / static_cast<double>(runs), 3));
  }
  return rows;
}

std::string title(const char* experiment) {
  const std::string name = experiment;
  return name == "figure5"
             ? "figure 5: models by number of devices (published on the authors' costs)"
         : name == "readme"  ? "README of the artifact: H100 spine-leaf"
         : name == "figure6" ? "figure 6: micro-batches at 256 devices"
                             : "small enough to enumerate every plan";
}

std::string legend(const std::string& first) {
  return first + ": seconds per batch; others: their time over " + first +
         "'s, in parentheses with the best cuts for their degrees; -: no plan fits";
}

}  // namespace

Gain measured_gain(std::span<const CaseResult> results, std::size_t planner, bool best_cuts) {
  Gain gain;
  double sum = 0.0;
  for (const CaseResult& result : results) {
    if (!has(result, planner) || result.results[0].seconds == 0.0) {
      continue;
    }
    const PlannerResult& own = result.results[planner];
    const double seconds = best_cuts ? own.best_cuts : own.seconds;
    if (seconds > 0.0) {
      sum += std::log(seconds / result.results[0].seconds);
      ++gain.cases;
    }
  }
  gain.mean = gain.cases == 0 ? 0.0 : std::exp(sum / static_cast<double>(gain.cases));
  return gain;
}

std::optional<Gain> published_gain(std::span<const CaseResult> results,
                                   const std::string& planner) {
  Gain gain;
  double sum = 0.0;
  for (const CaseResult& result : results) {
    if (result.plan_case.published == nullptr) {
      continue;
    }
    const double value = published_value(*result.plan_case.published, planner);
    if (value > 0.0 && result.plan_case.published->nest > 0.0) {
      sum += std::log(result.plan_case.published->nest / value);
      ++gain.cases;
    }
  }
  if (gain.cases == 0) {
    return std::nullopt;
  }
  gain.mean = std::exp(sum / static_cast<double>(gain.cases));
  return gain;
}

std::string bench_text(std::span<const PolicyRequest> planners,
                       std::span<const CaseResult> results) {
  std::string text;
  std::string reasons;
  for (const char* experiment : kNestExperiments) {
    const std::vector<CaseResult> own = of_experiment(results, experiment);
    if (own.empty()) {
      continue;
    }
    text += (text.empty() ? "" : "\n") + title(experiment) + "\n" + legend(planners[0].name) +
            "\n\n" + table_text(time_rows(run_on(own, planners), own)) + "\n" +
            table_text(gain_rows(run_on(own, planners), own));
  }
  for (const CaseResult& result : results) {
    for (std::size_t p = 0; p < result.results.size(); ++p) {
      if (result.results[p].seconds == 0.0) {
        reasons += "  " + result.plan_case.label() + ", " + planners[p].name + ": " +
                   result.results[p].reason + "\n";
      }
    }
  }
  return text + (reasons.empty() ? "" : "\nno plan:\n" + reasons);
}

void print_bench_lines(std::span<const PolicyRequest> planners,
                       std::span<const CaseResult> results) {
  for (const CaseResult& result : results) {
    for (std::size_t p = 0; p < result.results.size(); ++p) {
      const PlannerResult& own = result.results[p];
      nlohmann::ordered_json line = {{"experiment", result.plan_case.experiment},
                                     {"model", result.plan_case.model},
                                     {"cluster", result.plan_case.cluster},
                                     {"micro_batch", result.plan_case.micro_batch},
                                     {"planner", planners[p].text}};
      if (own.seconds > 0.0) {
        line["seconds_per_batch"] = own.seconds;
        line["degrees"] = own.degrees;
        if (own.best_cuts > 0.0) {
          line["best_cuts_seconds_per_batch"] = own.best_cuts;
        }
        if (result.results[0].seconds > 0.0) {
          line["over_" + planners[0].name] = own.seconds / result.results[0].seconds;
        }
      } else {
        line["infeasible"] = own.reason;
      }
      if (result.plan_case.published != nullptr) {
        const double value = published_value(*result.plan_case.published, planners[p].name);
        if (value > 0.0) {
          line["published_over_nest"] = result.plan_case.published->nest / value;
        }
      }
      line["search_seconds"] = own.search_seconds;
      std::printf("%s\n", line.dump().c_str());
    }
  }
}

void write_bench_page(std::span<const PolicyRequest> planners,
                      std::span<const CaseResult> results,
                      const std::string& file) {
  std::string html =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>berth bench nest</title>\n"
      "<style>body{font:14px sans-serif;margin:2em}table{border-collapse:collapse;margin:1em 0}"
      "td,th{padding:.2em .7em;border:1px solid #ccc;text-align:right}"
      "td:first-child,th:first-child{text-align:left}</style>\n<h1>berth bench nest</h1>\n";
  for (const char* experiment : kNestExperiments) {
    const std::vector<CaseResult> own = of_experiment(results, experiment);
    if (!own.empty()) {
      html += "<h2>" + escaped_html(title(experiment)) + "</h2>\n<p>" +
              escaped_html(legend(planners[0].name)) + "</p>\n" +
              table_html(time_rows(run_on(own, planners), own)) +
              table_html(gain_rows(run_on(own, planners), own));
    }
  }
  datasets::write_atomically(file, html + "</html>\n");
}

}  // namespace berth::launcher

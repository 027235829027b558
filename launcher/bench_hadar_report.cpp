// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <span>
#include <sstream>

#include <nlohmann/json.hpp>

#include "atomic_file.hpp"
#include "bench_hadar.hpp"
#include "page_parts.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

constexpr double kMinute = 60.0;

/// A titled table, for text and page alike.
struct HadarSection {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::string note;
};

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, values.size()));
}

std::vector<double> each(const BenchRow& row,
                         const std::function<double(const ClusterMetrics&)>& figure) {
  std::vector<double> values;
  for (const ClusterMetrics& seed : row.seeds) {
    values.push_back(figure(seed));
  }
  return values;
}

/// "12.3" for one value, "12.3 (11.9-12.8)" for several: mean, least and most.
std::string spread(const std::vector<double>& values, int digits = 3) {
  if (values.empty()) {
    return "-";
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  std::string text = significant(mean(values), digits);
  if (values.size() > 1) {
    text += " (" + significant(*least, digits) + "-" + significant(*most, digits) + ")";
  }
  return text;
}

HadarSection section_of(const BenchTrace& trace) {
  HadarSection section{
      std::to_string(trace.jobs) + " generated jobs, " + trace.name + ", " +
          std::to_string(trace.rows.empty() ? 0 : trace.rows.front().seeds.size()) +
          " seeds (the first as a trace: " + trace.word + ")",
      {"scheduler",
       "JCT mean h",
       "p99 h",
       "TTD h",
       "gap %",
       "GRU",
       "FTF mean",
       "queue h",
       "restarts",
       "ms/round"},
      {},
      "Mean over seeds, least and most in brackets. Gap: TTD over its lower "
      "bound of "
      "whole gangs."};
  for (const BenchRow& row : trace.rows) {
    std::vector<double> gap = each(row, [](const auto& m) { return m.ttd; });
    for (std::size_t s = 0; s < gap.size(); ++s) {
      gap[s] = 100.0 * (gap[s] / row.bound_seconds[s] - 1.0);
    }
    section.rows.push_back(
        {row.scheduler,
         spread(each(row, [](const auto& m) { return m.mean_jct / kHour; })),
         significant(mean(each(row, [](const auto& m) { return m.p99_jct / kHour; })), 3),
         spread(each(row, [](const auto& m) { return m.ttd / kHour; })),
         significant(mean(gap), 3),
         significant(mean(each(row, [](const auto& m) { return m.gru; })), 3),
         significant(mean(each(row, [](const auto& m) { return m.mean_ftf; })), 3),
         significant(mean(each(row, [](const auto& m) { return m.mean_queueing / kHour; })), 3),
         fixed(mean(each(row, [](const auto& m) { return m.restarts; })), 0),
         significant(1e3 * mean(row.seconds_per_round), 2)});
  }
  return section;
}

HadarSection section_of_mixes(const HadarBench& bench) {
  HadarSection section{"Forked jobs: mixes on nodes " + bench.nodes,
                       {"mix",
                        "slot s",
                        "bound min",
                        "TTD fork",
                        "whole",
                        "hadar",
                        "gavel",
                        "JCT fork",
                        "whole",
                        "hadar",
                        "gavel",
                        "CRU fork",
                        "whole",
                        "hadar",
                        "gavel"},
                       {},
                       "fork: hadare; whole: hadare(copies=1); hadar, gavel: hadar and "
                       "gavel-max-min, jobs whole. Minutes. The bound "
                       "holds for forked jobs (divisible load); fewer copies cannot "
                       "beat it either."};
  for (const BenchMix& m : bench.mixes) {
    section.rows.push_back({"M-" + std::to_string(m.jobs),
                            significant(m.slot_seconds),
                            fixed(m.bound_seconds / kMinute, 1),
                            fixed(m.fork.ttd / kMinute, 1),
                            fixed(m.whole.ttd / kMinute, 1),
                            fixed(m.hadar.ttd / kMinute, 1),
                            fixed(m.gavel.ttd / kMinute, 1),
                            fixed(m.fork.mean_jct / kMinute, 1),
                            fixed(m.whole.mean_jct / kMinute, 1),
                            fixed(m.hadar.mean_jct / kMinute, 1),
                            fixed(m.gavel.mean_jct / kMinute, 1),
                            fixed(m.fork.gru, 3),
                            fixed(m.whole.gru, 3),
                            fixed(m.hadar.gru, 3),
                            fixed(m.gavel.gru, 3)});
  }
  return section;
}

HadarSection section_of_gains(const HadarBench& bench) {
  HadarSection section{"Gains, measured and published",
                       {"gain", "measured", "published"},
                       {},
                       "Above 1 is better. Published: from the abstracts, or as "
                       "reported of them; their "
                       "traces, clusters and baselines' settings are not public, so "
                       "the numbers stand "
                       "beside each other and are not the same experiment."};
  for (const BenchGain& gain : bench.gains) {
    section.rows.push_back({gain.quantity, spread(gain.measured) + gain.unit, gain.published});
  }
  if (bench.many_jobs > 0) {
    section.rows.push_back(
        {"time to schedule " + std::to_string(bench.many_jobs) + " static jobs to their end, hadar",
         significant(bench.many_jobs_scheduler_seconds, 3) + " s",
         "< 7 min"});
  }
  return section;
}

std::vector<HadarSection> sections_of(const HadarBench& bench) {
  std::vector<HadarSection> sections;
  for (const BenchTrace& trace : bench.traces) {
    sections.push_back(section_of(trace));
  }
  sections.push_back(section_of_mixes(bench));
  sections.push_back(section_of_gains(bench));
  return sections;
}

std::string setting_of(const HadarBench& bench) {
  return "Cluster " + bench.cluster +
         ", rounds of 360 s, restart 10 s, spread as the table says. "
         "Throughputs: " +
         bench.throughputs + ".";
}

nlohmann::json json_of(const ClusterMetrics& m) {
  return {{"jct_mean_seconds", m.mean_jct},
          {"jct_median_seconds", m.median_jct},
          {"jct_p99_seconds", m.p99_jct},
          {"ttd_seconds", m.ttd},
          {"gru", m.gru},
          {"ftf_mean", m.mean_ftf},
          {"ftf_worst", m.worst_ftf},
          {"queueing_mean_seconds", m.mean_queueing},
          {"restarts", m.restarts}};
}

}  // namespace

void print_hadar_bench(const HadarBench& bench) {
  std::printf("%s\n", setting_of(bench).c_str());
  for (const HadarSection& section : sections_of(bench)) {
    Table table(section.header);
    for (const std::vector<std::string>& row : section.rows) {
      table.add_row(row);
    }
    std::printf("\n%s\n%s%s\n", section.title.c_str(), table.text().c_str(), section.note.c_str());
  }
  std::printf("\nRun time: %.0f s\n", bench.run_seconds);
}

void print_hadar_bench_json(const HadarBench& bench) {
  for (const BenchTrace& trace : bench.traces) {
    for (const BenchRow& row : trace.rows) {
      for (std::size_t seed = 0; seed < row.seeds.size(); ++seed) {
        nlohmann::json json = json_of(row.seeds[seed]);
        json["comparison"] = trace.name;
        json["jobs"] = trace.jobs;
        json["cluster"] = bench.cluster;
        json["throughputs"] = bench.throughputs;
        json["scheduler"] = row.scheduler;
        json["seed"] = seed;
        json["ttd_bound_seconds"] = row.bound_seconds[seed];
        json["scheduler_seconds_per_round"] = row.seconds_per_round[seed];
        std::printf("%s\n", json.dump().c_str());
      }
    }
  }
  for (const BenchMix& m : bench.mixes) {
    const nlohmann::json json = {{"comparison", "mix"},
                                 {"jobs", m.jobs},
                                 {"nodes", bench.nodes},
                                 {"throughputs", bench.throughputs},
                                 {"slot_seconds", m.slot_seconds},
                                 {"ttd_bound_seconds", m.bound_seconds},
                                 {"fork", json_of(m.fork)},
                                 {"whole", json_of(m.whole)},
                                 {"hadar", json_of(m.hadar)},
                                 {"gavel", json_of(m.gavel)}};
    std::printf("%s\n", json.dump().c_str());
  }
  for (const BenchGain& gain : bench.gains) {
    const nlohmann::json json = {{"gain", gain.quantity},
                                 {"measured", gain.measured},
                                 {"measured_mean", mean(gain.measured)},
                                 {"published", gain.published}};
    std::printf("%s\n", json.dump().c_str());
  }
  if (bench.many_jobs > 0) {
    const nlohmann::json json = {{"scheduled_jobs", bench.many_jobs},
                                 {"scheduler_seconds", bench.many_jobs_scheduler_seconds},
                                 {"published", "< 7 min"}};
    std::printf("%s\n", json.dump().c_str());
  }
}

void write_hadar_bench_page(const HadarBench& bench, const std::string& file) {
  std::ostringstream out;
  out << "<!doctype html><html lang=\"en\"><meta "
         "charset=\"utf-8\"><title>berth bench "
         "hadar</title><style>body{font:14px "
         "sans-serif;margin:2em}table{border-collapse:collapse}"
         "td,th{padding:2px 8px;border-bottom:1px solid #ddd;text-align:right}"
         "td:first-child,th:first-child{text-align:left}</style><h1>Hadar and "
         "HadarE, run "
         "again</h1><p>"
      << escaped_html(setting_of(bench)) << "</p>";
  for (const HadarSection& section : sections_of(bench)) {
    out << "<h2>" << escaped_html(section.title) << "</h2><table><tr>";
    for (const std::string& cell : section.header) {
      out << "<th>" << escaped_html(cell);
    }
    out << "</tr>";
    for (const std::vector<std::string>& row : section.rows) {
      out << "<tr>";
      for (const std::string& cell : row) {
        out << "<td>" << escaped_html(cell);
      }
      out << "</tr>";
    }
    out << "</table><p>" << escaped_html(section.note) << "</p>";
  }
  out << "</html>\n";
  datasets::write_atomically(file, out.str());
}

}  // namespace berth::launcher

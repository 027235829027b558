// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule_report.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <sstream>
#include <vector>

#include "atomic_file.hpp"
#include "page_parts.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

constexpr double kScheduleWidth = 1000.0;    // of a plot, pixels
constexpr double kScheduleLeft = 90.0;       // room for labels
constexpr double kScheduleLane = 6.0;        // height of one accelerator
constexpr double kCurve = 120.0;             // height of a curve
constexpr double kScheduleNarrowest = 0.25;  // of a bar, pixels

std::string number(double value, int decimals = 2) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

class Page {
 public:
  explicit Page(std::ostream& out) : out_(out) {}

  void head(const ScheduleSetting& setting) {
    out_ << "<!doctype html><html lang=\"en\"><meta "
            "charset=\"utf-8\"><title>berth schedule</title>"
            "<style>body{font:14px "
            "sans-serif;margin:2em}table{border-collapse:collapse}"
            "td,th{padding:2px 8px;border-bottom:1px solid "
            "#ddd;text-align:right}"
            "td:first-child,th:first-child{text-align:left}svg text{font:10px "
            "sans-serif}"
            "</style><h1>"
         << setting.jobs.size() << " jobs on " << setting.cluster.num_gpus() << " accelerators</h1>"
         << "<p>Trace " << escaped_html(setting.trace) << ", rounds of "
         << number(setting.options.round_seconds, 0) << " s, restart "
         << number(setting.options.gangs.restart_seconds, 1) << " s, seed " << setting.seed;
    if (setting.bound_seconds) {
      out_ << "; TTD lower bound of " << setting.bound_of() << " "
           << number(*setting.bound_seconds / kHour) << " h";
    }
    if (!setting.throughputs.empty()) {
      out_ << "; throughputs: " << escaped_html(setting.throughputs);
    }
    out_ << ".</p>";
  }

  void comparison(const ScheduleSetting& setting, std::span<const ScheduleResult> results) {
    out_ << "<table><tr><th>scheduler<th>JCT mean h<th>median h<th>p99 "
            "h<th>TTD h<th>gap %<th>GRU"
            "<th>FTF mean<th>restarts<th>queueing h</tr>";
    for (const ScheduleResult& result : results) {
      const ClusterMetrics& m = result.metrics;
      out_ << "<tr><td>" << escaped_html(result.scheduler);
      for (const double value : {m.mean_jct, m.median_jct, m.p99_jct, m.ttd}) {
        out_ << "<td>" << number(value / kHour);
      }
      out_ << "<td>"
           << (setting.bound_seconds ? number(100.0 * (m.ttd / *setting.bound_seconds - 1.0), 1)
                                     : "-")
           << "<td>" << number(m.gru, 3) << "<td>" << number(m.mean_ftf) << "<td>"
           << number(m.restarts, 0) << "<td>" << number(m.mean_queueing / kHour) << "</tr>";
    }
    out_ << "</table>";
  }

  void gantt(const ScheduleSetting& setting, const ScheduleResult& result) {
    const Cluster& cluster = setting.cluster;
    const double height = kScheduleLane * static_cast<double>(cluster.num_gpus());
    open_svg(height + 20.0);
    for (const GpuPool& pool : cluster.pools()) {
      const double y = kScheduleLane * pool.first;
      out_ << "<text x=\"0\" y=\"" << number(y + kScheduleLane * 1.6) << "\">"
           << escaped_html(cluster.machine(pool.machine).name) << "</text><line x1=\""
           << kScheduleLeft << "\" x2=\"" << kScheduleLeft + kScheduleWidth << "\" y1=\""
           << number(y) << "\" y2=\"" << number(y) << "\" stroke=\"#ccc\"/>";
    }
    std::size_t left_out = 0;
    const double scale = kScheduleWidth / std::max(1e-9, span_seconds(result));
    for (const JobInterval& interval : result.run.timeline) {
      const double width = scale * (interval.finish_seconds - interval.start_seconds);
      if (width < kScheduleNarrowest) {
        ++left_out;
        continue;
      }
      bars(interval,
           kScheduleLeft + scale * (interval.start_seconds - result.run.first_arrival_seconds),
           width,
           setting);
    }
    axis(result, height);
    out_ << "</svg>";
    if (left_out > 0) {
      out_ << "<p>" << left_out << " stretches are too short to be drawn.</p>";
    }
  }

  void curves(const ScheduleSetting& setting, const ScheduleResult& result) {
    const double gpus = static_cast<double>(setting.cluster.num_gpus());
    double most = 1.0;
    for (const RoundRecord& round : result.run.rounds) {
      most = std::max(most, static_cast<double>(round.active_jobs));
    }
    out_ << "<h3>Busy accelerators (blue, of " << number(gpus, 0)
         << ") and unfinished jobs (orange, at most " << number(most, 0) << ")</h3>";
    open_svg(kCurve + 20.0);
    line(result, "#2b6cb0", [&](const RoundRecord& r) { return r.busy_gpus / gpus; });
    line(result, "#dd6b20", [&](const RoundRecord& r) { return r.active_jobs / most; });
    axis(result, kCurve);
    out_ << "</svg>";
  }

  void distribution(const ScheduleResult& result) {
    std::vector<double> times;
    for (const JobRecord& job : result.run.jobs) {
      if (job.finished()) {
        times.push_back(job.completion_seconds());
      }
    }
    std::sort(times.begin(), times.end());
    out_ << "<h3>Completion times: share of jobs done within</h3>";
    open_svg(kCurve + 20.0);
    out_ << "<polyline fill=\"none\" stroke=\"#2f855a\" points=\"";
    const double longest = times.empty() ? 1.0 : std::max(times.back(), 1e-9);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double share = static_cast<double>(i + 1) / static_cast<double>(times.size());
      point(kScheduleLeft + kScheduleWidth * times[i] / longest, kCurve * (1.0 - share));
    }
    out_ << "\"/>";
    for (int tick = 0; tick <= 5; ++tick) {
      out_ << "<text x=\"" << number(kScheduleLeft + kScheduleWidth * tick / 5.0 - 10.0)
           << "\" y=\"" << kCurve + 14 << "\">" << number(longest / kHour * tick / 5.0)
           << " h</text>";
    }
    out_ << "<text x=\"" << kScheduleLeft - 40 << "\" y=\"10\">100 %</text><text x=\""
         << kScheduleLeft - 40 << "\" y=\"" << kCurve << "\">0 %</text></svg>";
  }

  void job_table(const ScheduleSetting& setting, const ScheduleResult& result) {
    out_ << "<details><summary>Jobs under " << escaped_html(result.scheduler)
         << "</summary><table><tr><th>job<th>gang<th>arrival h<th>first start "
            "h<th>finish h"
            "<th>JCT h<th>restarts<th>FTF</tr>";
    for (std::size_t id = 0; id < setting.jobs.size(); ++id) {
      const JobRecord& job = result.run.jobs[id];
      out_ << "<tr><td><span style=\"color:" << job_colour(to_id<JobId>(id)) << "\">&#9632;</span> "
           << id << " " << escaped_html(setting.jobs[id].name) << "<td>" << setting.jobs[id].gang
           << "<td>" << number(job.arrival_seconds / kHour) << "<td>"
           << number(job.first_start_seconds / kHour) << "<td>"
           << (job.finished() ? number(job.finish_seconds / kHour) : "dropped") << "<td>"
           << (job.finished() ? number(job.completion_seconds() / kHour) : "-") << "<td>"
           << job.restarts << "<td>"
           << (job.finished() ? number(finish_time_fairness(setting.cluster, setting.jobs[id], job))
                              : "-")
           << "</tr>";
    }
    out_ << "</table></details>";
  }

 private:
  static double span_seconds(const ScheduleResult& result) {
    return result.run.end_seconds - result.run.first_arrival_seconds;
  }

  void open_svg(double height) {
    out_ << "<svg width=\"" << kScheduleLeft + kScheduleWidth + 40 << "\" height=\""
         << number(height) << "\">";
  }

  void point(double x, double y) { out_ << number(x, 1) << ',' << number(y, 1) << ' '; }

  /// One rectangle for every run of neighbouring accelerators.
  void bars(const JobInterval& interval, double x, double width, const ScheduleSetting& setting) {
    std::size_t begin = 0;
    for (std::size_t i = 1; i <= interval.gpus.size(); ++i) {
      if (i < interval.gpus.size() && index(interval.gpus[i]) == index(interval.gpus[i - 1]) + 1) {
        continue;
      }
      out_ << "<rect x=\"" << number(x) << "\" y=\""
           << number(kScheduleLane * static_cast<double>(index(interval.gpus[begin])) + 0.5)
           << "\" width=\"" << number(width) << "\" height=\""
           << number(kScheduleLane * static_cast<double>(i - begin) - 1.0) << "\" fill=\""
           << job_colour(interval.job) << "\"><title>job " << index(interval.job) << " "
           << escaped_html(setting.jobs[index(interval.job)].name) << "</title></rect>";
      begin = i;
    }
  }

  void axis(const ScheduleResult& result, double y) {
    const double hours = span_seconds(result) / kHour;
    for (int tick = 0; tick <= 5; ++tick) {
      out_ << "<text x=\"" << number(kScheduleLeft + kScheduleWidth * tick / 5.0 - 10.0)
           << "\" y=\"" << number(y + 14.0) << "\">" << number(hours * tick / 5.0, 1)
           << " h</text>";
    }
  }

  template <class Value>
  void line(const ScheduleResult& result, const char* stroke, Value&& value) {
    out_ << "<polyline fill=\"none\" stroke=\"" << stroke << "\" points=\"";
    const double scale = kScheduleWidth / std::max(1e-9, span_seconds(result));
    // A point per pixel is enough.
    const std::size_t step = std::max<std::size_t>(1, result.run.rounds.size() / 1000);
    for (std::size_t i = 0; i < result.run.rounds.size(); i += step) {
      const RoundRecord& round = result.run.rounds[i];
      const double x =
          kScheduleLeft + scale * (round.start_seconds - result.run.first_arrival_seconds);
      point(x, kCurve * (1.0 - value(round)));
    }
    out_ << "\"/>";
  }

  std::ostream& out_;
};

}  // namespace

void write_schedule_report(const ScheduleSetting& setting,
                           std::span<const ScheduleResult> results,
                           const std::string& file) {
  std::ostringstream out;
  Page page(out);
  page.head(setting);
  page.comparison(setting, results);
  for (const ScheduleResult& result : results) {
    out << "<h2>" << escaped_html(result.scheduler) << "</h2>";
    page.gantt(setting, result);
    page.curves(setting, result);
    page.distribution(result);
    page.job_table(setting, result);
  }
  out << "</html>\n";
  datasets::write_atomically(file, out.str());
}

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule_output.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include <nlohmann/json.hpp>

#include "atomic_file.hpp"
#include "csv_file.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

double per_round(const ClusterRun& run) {
  return run.scheduler_seconds / static_cast<double>(std::max<std::uint64_t>(1, run.decisions));
}

std::string short_seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", seconds);
  return text;
}

std::string gap(const ScheduleSetting& setting, const ClusterMetrics& metrics) {
  return setting.bound_seconds ? percent(metrics.ttd / *setting.bound_seconds - 1.0) : "-";
}

void print_table(const ScheduleSetting& setting, std::span<const ScheduleResult> results) {
  Table table({"scheduler",
               "JCT mean h",
               "median h",
               "p99 h",
               "TTD h",
               "gap",
               "GRU",
               "FTF mean",
               "FTF worst",
               "restarts",
               "mixed",
               "queue h",
               "s/round"});
  for (const ScheduleResult& result : results) {
    const ClusterMetrics& m = result.metrics;
    table.add_row({result.scheduler,
                   significant(m.mean_jct / kHour),
                   significant(m.median_jct / kHour),
                   significant(m.p99_jct / kHour),
                   significant(m.ttd / kHour),
                   gap(setting, m),
                   significant(m.gru, 3),
                   significant(m.mean_ftf, 3),
                   significant(m.worst_ftf, 3),
                   std::to_string(static_cast<std::uint64_t>(m.restarts)),
                   percent(m.mixed_share),
                   significant(m.mean_queueing / kHour, 3),
                   short_seconds(per_round(result.run))});
  }
  std::printf("%zu jobs of %s on %zu accelerators, rounds of %g s, restart %g s\n%s",
              setting.jobs.size(),
              setting.trace.c_str(),
              setting.cluster.num_gpus(),
              setting.options.round_seconds,
              setting.options.gangs.restart_seconds,
              table.text().c_str());
  if (!setting.throughputs.empty()) {
    std::printf("Throughputs: %s\n", setting.throughputs.c_str());
  }
  if (setting.bound_seconds) {
    std::printf("TTD lower bound of %s: %s h\n",
                setting.bound_of(),
                significant(*setting.bound_seconds / kHour, 6).c_str());
  }
  std::printf(
      "JCT: finish - arrival. TTD: last finish - first arrival. GRU: busy GPU-seconds, restarts\n"
      "included / (GPUs x TTD)%s. FTF: JCT / time on a 1/N share, N = mean number of jobs "
      "present.\n",
      setting.forked ? ", here also the CRU of nodes" : "");
}

void print_extras(const ScheduleResult& result) {
  if (!result.figures.empty()) {
    std::printf("%s:", result.scheduler.c_str());
    for (const SchedulerFigure& figure : result.figures) {
      std::printf(" %s=%s", figure.name.c_str(), significant(figure.value, 6).c_str());
    }
    std::printf("\n");
  }
  if (!result.story.empty()) {
    std::printf("%s, the job asked about:\n", result.scheduler.c_str());
    for (const std::string& text : result.story) {
      std::printf("  %s\n", text.c_str());
    }
  }
}

std::string seconds_text(double seconds) {
  char text[48];
  std::snprintf(text, sizeof text, "%.10g", seconds);
  return text;
}

nlohmann::json to_json(const ScheduleSetting& setting, const ScheduleResult& result) {
  const ClusterMetrics& m = result.metrics;
  nlohmann::json json = {{"scheduler", result.scheduler},
                         {"trace", setting.trace},
                         {"jobs", setting.jobs.size()},
                         {"throughputs", setting.throughputs},
                         {"forked", setting.forked},
                         {"gpus", setting.cluster.num_gpus()},
                         {"seed", setting.seed},
                         {"round_seconds", setting.options.round_seconds},
                         {"restart_seconds", setting.options.gangs.restart_seconds},
                         {"finished_jobs", m.finished_jobs},
                         {"jct_mean_seconds", m.mean_jct},
                         {"jct_median_seconds", m.median_jct},
                         {"jct_p99_seconds", m.p99_jct},
                         {"jct_max_seconds", m.max_jct},
                         {"ttd_seconds", m.ttd},
                         {"gru", m.gru},
                         {"utilisation", result.run.utilisation},
                         {"ftf_mean", m.mean_ftf},
                         {"ftf_worst", m.worst_ftf},
                         {"restarts", m.restarts},
                         {"mixed_share", m.mixed_share},
                         {"queueing_mean_seconds", m.mean_queueing},
                         {"rounds", result.run.num_rounds},
                         {"scheduler_seconds", result.run.scheduler_seconds},
                         {"scheduler_seconds_per_round", per_round(result.run)},
                         {"scheduler_seconds_worst_round", result.run.scheduler_seconds_max}};
  if (setting.bound_seconds) {
    json["ttd_bound_seconds"] = *setting.bound_seconds;
    json["ttd_bound_of"] = setting.bound_of();
    json["ttd_gap"] = m.ttd / *setting.bound_seconds - 1.0;
  }
  for (const SchedulerFigure& figure : result.figures) {
    json["figures"][figure.name] = figure.value;
  }
  if (!result.story.empty()) {
    json["explain"] = result.story;
  }
  return json;
}

}  // namespace

void JobStory::note(const RoundContext& context,
                    const RoundSchedule& round,
                    const ClusterScheduler& scheduler) {
  const auto same = [this](const auto& entry) { return entry.job == *job_; };
  if (!job_ || std::none_of(context.jobs.begin(), context.jobs.end(), [this](const auto& job) {
        return job.id == *job_;
      })) {
    return;
  }
  std::string state;
  // A forked job is named once per copy.
  for (const Assignment& assignment : round.assignments) {
    if (!same(assignment)) {
      continue;
    }
    state += !state.empty() ? "" : assignment.runs ? "runs on" : "holds";
    for (const GpuId gpu : assignment.gpus) {
      const Machine& machine = context.cluster.machine(context.cluster.machine_of(gpu));
      state += " " + machine.name + "/" + std::to_string(index(gpu));
    }
  }
  state = state.empty() ? "waits" : state;
  if (state != state_) {
    state_ = state;
    lines_.push_back("t=" + seconds_text(context.now_seconds) + " s: " + state + "; " +
                     scheduler.explain(*job_));
  }
}

void print_schedule(const ScheduleSetting& setting,
                    std::span<const ScheduleResult> results,
                    bool json) {
  if (json) {
    for (const ScheduleResult& result : results) {
      std::printf("%s\n", to_json(setting, result).dump().c_str());
    }
    return;
  }
  print_table(setting, results);
  for (const ScheduleResult& result : results) {
    print_extras(result);
  }
}

void write_job_csv(const ScheduleSetting& setting,
                   const ScheduleResult& result,
                   const std::string& file) {
  std::ostringstream out;
  out.precision(17);
  out << "job_id,name,gang,arrival_s,first_start_s,finish_s,jct_s,executed_s,restarts,ftf\n";
  for (std::size_t id = 0; id < setting.jobs.size(); ++id) {
    const JobSpec& job = setting.jobs[id];
    const JobRecord& record = result.run.jobs[id];
    out << id << ',' << datasets::csv_field(job.name) << ',' << job.gang << ','
        << record.arrival_seconds << ',' << record.first_start_seconds << ','
        << record.finish_seconds << ',' << record.completion_seconds() << ','
        << record.executed_seconds << ',' << record.restarts << ','
        << finish_time_fairness(setting.cluster, job, record) << '\n';
  }
  datasets::write_atomically(file, out.str());
}

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "berth/units.hpp"

#include "page_parts.hpp"
#include "pipeline_timeline.hpp"
#include "plan_report.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

constexpr double kPlanWidth = 1000.0;   // of a plot, pixels
constexpr double kPlanLeft = 130.0;     // room for labels
constexpr double kPlanLane = 18.0;      // height of one row
constexpr double kPlanNarrowest = 0.4;  // of a bar, pixels
constexpr double kLabel = 14.0;         // bars at least so wide are labelled
constexpr std::size_t kMostRows = 64;
constexpr std::size_t kMostBars = 4000;

struct Part {
  const char* name;
  const char* colour;
  double value;
};

std::string plan_number(double value, int decimals = 1) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string open_svg(double height) {
  return "<svg width=\"" + plan_number(kPlanLeft + kPlanWidth + 70.0, 0) + "\" height=\"" +
         plan_number(height, 0) + "\" xmlns=\"http://www.w3.org/2000/svg\">";
}

std::string plan_text_at(double x,
                         double y,
                         const std::string& text,
                         const char* anchor = "start") {
  return "<text x=\"" + plan_number(x) + "\" y=\"" + plan_number(y) + "\" text-anchor=\"" + anchor +
         "\">" + escaped_html(text) + "</text>";
}

std::string bar(
    double x, double y, double width, const std::string& colour, const std::string& tip) {
  return "<rect x=\"" + plan_number(x, 2) + "\" y=\"" + plan_number(y) + "\" width=\"" +
         plan_number(width, 2) + "\" height=\"" + plan_number(kPlanLane - 3.0) + "\" fill=\"" +
         colour + "\"><title>" + escaped_html(tip) + "</title></rect>";
}

std::string legend(const std::vector<Part>& parts) {
  std::string out = "<p>";
  for (const Part& part : parts) {
    out += std::string("<span style=\"background:") + part.colour +
           "\">&nbsp;&nbsp;&nbsp;</span> " + part.name + " &nbsp; ";
  }
  return out + "</p>";
}

std::vector<Part> time_parts(const StageTime& time) {
  return {{"forward", "#2b6cb0", time.forward},
          {"backward", "#2f855a", time.backward},
          {"recomputation", "#d69e2e", time.recompute},
          {"transfers", "#c53030", time.transfer},
          {"ZeRO collectives", "#805ad5", time.zero}};
}

std::vector<Part> memory_parts(const StageMemory& memory) {
  return {{"weights", "#2b6cb0", memory.weights},
          {"gradients", "#2f855a", memory.gradients},
          {"optimizer", "#d69e2e", memory.optimizer},
          {"activations in flight", "#c53030", memory.stash},
          {"working set", "#805ad5", memory.work},
          {"reserve", "#a0aec0", memory.reserve}};
}

// The working set and the reserve are there once, whichever chunk runs.
void add(StageMemory& sum, const StageMemory& memory) {
  sum.weights += memory.weights;
  sum.gradients += memory.gradients;
  sum.optimizer += memory.optimizer;
  sum.stash += memory.stash;
  sum.work = std::max(sum.work, memory.work);
  sum.reserve = std::max(sum.reserve, memory.reserve);
}

double smallest_memory(const StrategyProblem& problem, const PlanStage& stage) {
  double least = INFINITY;
  for (const std::vector<std::uint32_t>& block : stage.blocks) {
    for (const std::uint32_t device : block) {
      least = std::min(least, problem.classes[problem.class_of(device)].memory_bytes);
    }
  }
  return least;
}

// One stacked bar a stage; `limits` (may be empty) are drawn as marks.
template <class Format>
std::string stacked(const std::string& label,
                    const std::vector<std::vector<Part>>& rows,
                    const std::vector<double>& limits,
                    Format shown) {
  double most = 1e-300;
  for (const std::vector<Part>& row : rows) {
    double sum = 0.0;
    for (const Part& part : row) {
      sum += part.value;
    }
    most = std::max(most, sum);
  }
  for (const double limit : limits) {
    most = std::max(most, limit);
  }
  std::string out =
      legend(rows.front()) + open_svg(kPlanLane * static_cast<double>(rows.size()) + 4.0);
  for (std::size_t q = 0; q < rows.size(); ++q) {
    const double y = kPlanLane * static_cast<double>(q);
    double x = kPlanLeft;
    double sum = 0.0;
    out += plan_text_at(0.0, y + 12.0, label + std::to_string(q + 1));
    for (const Part& part : rows[q]) {
      const double width = kPlanWidth * part.value / most;
      if (width > 0.0) {
        out += bar(x, y, width, part.colour, std::string(part.name) + " " + shown(part.value));
      }
      x += width;
      sum += part.value;
    }
    if (!limits.empty()) {
      const double limit = kPlanLeft + kPlanWidth * limits[q] / most;
      out += "<line x1=\"" + plan_number(limit) + "\" x2=\"" + plan_number(limit) + "\" y1=\"" +
             plan_number(y) + "\" y2=\"" + plan_number(y + kPlanLane - 3.0) +
             "\" stroke=\"#000\" stroke-width=\"2\"/>";
    }
    // Inside the plot where the bar leaves no room behind it.
    const bool outside = x < kPlanLeft + kPlanWidth * 0.93;
    out += outside ? plan_text_at(x + 4.0, y + 12.0, shown(sum))
                   : plan_text_at(kPlanLeft + kPlanWidth + 4.0, y + 12.0, shown(sum));
  }
  return out + "</svg>";
}

// Forward passes blue, backward green, chunks of interleaved schedules by shade.
std::string pass_colour(const ParallelPlan& plan, const PipelinePass& pass) {
  const auto chunk = static_cast<double>(pass.stage / plan.depth());
  const double light = 42.0 + 30.0 * chunk / std::max(1.0, static_cast<double>(plan.chunks));
  return std::string("hsl(") + (pass.forward ? "211" : "150") + ",60%," + plan_number(light, 0) +
         "%)";
}

std::string schedule_window(const ParallelPlan& plan,
                            const PipelineTimeline& timeline,
                            double begin,
                            double end) {
  const std::size_t rows = std::min(timeline.rows.size(), kMostRows);
  const double height = kPlanLane * static_cast<double>(rows);
  const double scale = kPlanWidth / (end - begin);
  std::string out = open_svg(height + 20.0);
  for (std::size_t r = 0; r < rows; ++r) {
    out += plan_text_at(0.0, kPlanLane * static_cast<double>(r) + 12.0, timeline.rows[r]);
  }
  for (const PipelinePass& pass : timeline.passes) {
    const double from = std::max(pass.start_seconds, begin);
    const double to = std::min(pass.end_seconds, end);
    const double width = scale * (to - from);
    if (pass.row >= rows || width < kPlanNarrowest) {
      continue;
    }
    const double x = kPlanLeft + scale * (from - begin);
    const double y = kPlanLane * pass.row;
    const std::string name = (pass.forward ? "F" : "B") + std::to_string(pass.micro_batch);
    out +=
        bar(x,
            y,
            std::max(width - 0.5, kPlanNarrowest),
            pass_colour(plan, pass),
            name + ", stage " + std::to_string(pass.stage + 1) + ": " +
                format(Seconds{pass.start_seconds}) + " to " + format(Seconds{pass.end_seconds}));
    if (width > kLabel + 5.0 * static_cast<double>(name.size() > 2)) {
      out += "<text x=\"" + plan_number(x + 2.0) + "\" y=\"" + plan_number(y + 11.0) +
             "\" fill=\"#fff\" pointer-events=\"none\">" + std::to_string(pass.micro_batch) +
             "</text>";
    }
  }
  for (int tick = 0; tick <= 5; ++tick) {
    const double at = begin + (end - begin) * tick / 5.0;
    out += plan_text_at(
        kPlanLeft + kPlanWidth * tick / 5.0, height + 14.0, format(Seconds{at}), "middle");
  }
  return out + "</svg>";
}

std::string schedule(const ParallelPlan& plan) {
  const PipelineTimeline timeline = pipeline_timeline(plan);
  std::string out =
      "<h2>Pipeline schedule</h2><p>Blue: forward, green: backward (with "
      "recomputation); numbers are micro-batches. Of ";
  out += plan.is_uniform() ? "the first replica" : "all replicas";
  out += ", " + std::to_string(plan.depth()) + " blocks, " + std::to_string(plan.micro_batches) +
         " micro-batches.";
  if (timeline.rows.size() > kMostRows) {
    out += " The first " + std::to_string(kMostRows) + " of " +
           std::to_string(timeline.rows.size()) + " rows.";
  }
  out += "</p>";
  if (timeline.passes.size() <= kMostBars) {
    return out + schedule_window(plan, timeline, 0.0, timeline.end_seconds);
  }
  // Fill and drain; what lies between repeats.
  const double share =
      static_cast<double>(kMostBars) / 2.0 / static_cast<double>(timeline.passes.size());
  const double window = timeline.end_seconds * share;
  return out + "<h3>First " + plan_number(100.0 * share) + " %</h3>" +
         schedule_window(plan, timeline, 0.0, window) + "<h3>Last " + plan_number(100.0 * share) +
         " %</h3>" +
         schedule_window(plan, timeline, timeline.end_seconds - window, timeline.end_seconds);
}

}  // namespace

std::string plan_page(const StrategyProblem& problem,
                      const ParallelPlan& plan,
                      const PlanScore& score) {
  std::string out =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>berth plan</title>"
      "<style>body{font:14px sans-serif;margin:2em}svg text{font:11px sans-serif}pre{overflow-x:"
      "auto}</style><h1>" +
      escaped_html(problem.model) + " on " + escaped_html(problem.cluster) + "</h1><p>" +
      escaped_html(plan_headline(problem, plan)) +
      "</p><p>Schedule played out: " + significant(score.simulated_seconds, 6) +
      " s per batch of " + std::to_string(problem.global_batch) + " sequences; pipeline bubble " +
      percent(score.bubble_fraction) + "; fullest stage " +
      std::to_string(score.fullest_stage + 1) + " with " + percent(score.fullest_share) +
      " of its memory.</p>";
  out += schedule(plan);
  std::vector<std::vector<Part>> times;
  for (const PlanStage& stage : plan.stages) {
    times.push_back(time_parts(stage.time));
  }
  // The chunks of a block share its devices.
  std::vector<std::vector<Part>> memories;
  std::vector<double> limits;
  for (std::size_t i = 0; i < plan.depth(); ++i) {
    StageMemory sum;
    for (std::size_t q = i; q < plan.stages.size(); q += plan.depth()) {
      add(sum, plan.stages[q].memory);
    }
    memories.push_back(memory_parts(sum));
    limits.push_back(smallest_memory(problem, plan.stages[i]));
  }
  out += "<h2>Time of one micro-batch</h2>" +
         stacked("stage ", times, {}, [](double value) { return format(Seconds{value}); });
  out +=
      "<h2>Memory of one device</h2><p>The black mark is the smallest memory of the block's "
      "devices.</p>" +
      stacked("block ", memories, limits, [](double value) { return format(Bytes{value}); });
  return out + "<h2>Stages</h2><pre>" + escaped_html(plan_table(problem, plan)) + "</pre></html>\n";
}

}  // namespace berth::launcher

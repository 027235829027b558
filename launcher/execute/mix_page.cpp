// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "mix_page.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "page_parts.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

constexpr double kMixLeft = 90.0;      // room for labels, pixels
constexpr double kMixWidth = 900.0;    // of the Gantt chart
constexpr double kMixLane = 26.0;      // height of a node
constexpr double kPlot = 380.0;        // width of a curve
constexpr double kMixHeight = 110.0;   // of a curve
constexpr double kMixNarrowest = 0.3;  // of a bar

using Points = std::vector<std::pair<double, double>>;  // clock, value

struct Curve {
  const char* label;
  const char* stroke;
  Points points;
};

std::string text_at(double x, double y, const std::string& text) {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\">" + escaped_html(text) +
         "</text>";
}

std::string counted(std::size_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string seconds_axis(double left, double width, double y, double end) {
  std::string out;
  for (int tick = 0; tick <= 4; ++tick) {
    const double share = tick / 4.0;
    out += text_at(left + width * share - 12.0,
                   y + 13.0,
                   (tick == 0 ? "0" : significant(end * share, 3)) + " s");
  }
  return out;
}

/// What its copies lost on the training samples, by omega; a round each.
Points training_loss(const JobTracker& tracker, std::uint32_t job) {
  Points points;
  std::uint64_t round = 0;
  for (const CopyRecord& copy : tracker.copies()) {
    if (copy.job != job || !(copy.omega > 0.0)) {
      continue;
    }
    const double end = copy.start_seconds + copy.seconds;
    if (points.empty() || copy.round != round) {
      points.emplace_back(end, 0.0);
      round = copy.round;
    }
    points.back().first = std::max(points.back().first, end);
    points.back().second += copy.omega * copy.loss;
  }
  return points;
}

Points scores_of(const JobTracker& tracker, std::uint32_t job, double ScoreRecord::*field) {
  Points points;
  for (const ScoreRecord& score : tracker.scores()) {
    if (score.job == job) {
      points.emplace_back(score.clock_seconds, score.*field);
    }
  }
  return points;
}

class MixPage {
 public:
  MixPage(const JobTracker& tracker, const MixResult& result)
      : tracker_(tracker), result_(result), end_(std::max(1e-9, result.ttd_seconds)) {}

  std::string text() {
    head();
    job_table();
    gantt();
    for (std::uint32_t job = 0; job < result_.jobs.size(); ++job) {
      curves(job);
    }
    rate_table();
    out_ << "</html>\n";
    return out_.str();
  }

 private:
  void head() {
    out_ << "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>berth schedule "
            "--execute</title><style>body{font:14px sans-serif;margin:2em}table{border-collapse:"
            "collapse}td,th{padding:2px 8px;border-bottom:1px solid #ddd;text-align:right}"
            "td:first-child,th:first-child{text-align:left}svg text{font:10px sans-serif}"
            ".job{display:inline-block;margin-right:1em}</style><h1>"
         << counted(result_.jobs.size(), "job") << " trained on " << counted(result_.nodes, "node")
         << "</h1><p>" << escaped_html(tracker_.mix().file.filename().string()) << " under "
         << escaped_html(result_.scheduler) << ", seed " << result_.seed << ", " << result_.rounds
         << " rounds. TTD " << significant(result_.ttd_seconds) << " s, mean JCT "
         << significant(result_.mean_jct_seconds) << " s, CRU " << significant(result_.cru, 3);
    if (result_.bound_seconds) {
      out_ << ", TTD / lower bound " << significant(result_.ttd_seconds / *result_.bound_seconds);
    }
    out_ << (tracker_.mix().is_step_counted()
                 ? ". Slots are counted in steps: times are those of the rates believed.</p>"
                 : ". Scoring and checkpoints are off the clock.</p>");
  }

  [[nodiscard]] std::string named(std::uint32_t job) const {
    return "<span style=\"color:" + job_colour(JobId{job}) + "\">&#9632;</span> " +
           escaped_html(result_.jobs[job].name);
  }

  void job_table() {
    out_ << "<table><tr><th>job<th>model<th>metric<th>before<th>after<th>steps<th>rounds<th>most "
            "copies<th>moves<th>JCT s</tr>";
    for (std::uint32_t id = 0; id < result_.jobs.size(); ++id) {
      const JobResult& job = result_.jobs[id];
      out_ << "<tr><td>" << named(id) << "<td>" << escaped_html(job.model) << "<td>"
           << escaped_html(job.metric) << "<td>" << significant(job.start) << "<td>"
           << significant(job.value) << "<td>" << job.steps << "<td>" << job.rounds << "<td>"
           << job.most_copies << "<td>" << job.restarts << "<td>" << significant(job.jct_seconds)
           << "</tr>";
    }
    out_ << "</table>";
  }

  void gantt() {
    const double height = kMixLane * static_cast<double>(tracker_.present());
    out_ << "<h2>Nodes over time</h2><p>";
    for (std::uint32_t id = 0; id < result_.jobs.size(); ++id) {
      out_ << "<span class=\"job\">" << named(id) << "</span>";
    }
    out_ << "Above a bar: the number of its round. A copy that counted nothing is hollow.</p><svg "
            "width=\""
         << kMixLeft + kMixWidth + 40.0 << "\" height=\"" << height + 20.0 << "\">";
    for (std::size_t node = 0; node < tracker_.present(); ++node) {
      const double y = kMixLane * static_cast<double>(node);
      out_ << text_at(0.0, y + 0.65 * kMixLane, tracker_.mix().nodes[node].name) << "<line x1=\""
           << kMixLeft << "\" x2=\"" << kMixLeft + kMixWidth << "\" y1=\"" << fixed(y, 1)
           << "\" y2=\"" << fixed(y, 1) << "\" stroke=\"#ddd\"/>";
    }
    for (const CopyRecord& copy : tracker_.copies()) {
      bar(copy);
    }
    out_ << seconds_axis(kMixLeft, kMixWidth, height, end_) << "</svg>";
  }

  void bar(const CopyRecord& copy) {
    const double x = kMixLeft + kMixWidth * copy.start_seconds / end_;
    const double width = std::max(kMixNarrowest, kMixWidth * copy.seconds / end_);
    const double y = kMixLane * copy.node;
    const std::string colour = job_colour(JobId{copy.job});
    const bool counts = copy.omega > 0.0;
    out_ << "<rect x=\"" << fixed(x, 2) << "\" y=\"" << fixed(y + 9.0, 1) << "\" width=\""
         << fixed(width, 2) << "\" height=\"" << fixed(kMixLane - 11.0, 1) << "\" fill=\""
         << (counts ? colour : "none") << "\" stroke=\"" << (counts ? "#fff" : colour)
         << "\" stroke-width=\"0.5\"><title>" << escaped_html(result_.jobs[copy.job].name)
         << ", round " << copy.round << ": " << copy.steps << " of " << copy.planned
         << " steps planned, omega " << fixed(copy.omega, 3) << ", loss " << significant(copy.loss)
         << "</title></rect>";
    if (width > 14.0) {
      out_ << text_at(x + 1.0, y + 8.0, std::to_string(copy.round));
    }
  }

  void curves(std::uint32_t job) {
    out_ << "<h3>" << named(job) << "</h3><svg width=\"" << 2.0 * (kMixLeft + kPlot) + 60.0
         << "\" height=\"" << kMixHeight + 34.0 << "\">";
    plot(0.0,
         {{"training loss", "#dd6b20", training_loss(tracker_, job)},
          {"validation loss", "#2b6cb0", scores_of(tracker_, job, &ScoreRecord::validation_loss)}});
    const std::string label = result_.jobs[job].metric + ", test";
    plot(kMixLeft + kPlot,
         {{label.c_str(), "#2f855a", scores_of(tracker_, job, &ScoreRecord::test)},
          {"validation", "#805ad5", scores_of(tracker_, job, &ScoreRecord::validation)}});
    out_ << "</svg>";
  }

  /// Curves in one frame, `left` pixels from the edge; linear axes from the least to the largest.
  void plot(double left, const std::vector<Curve>& curves) {
    double least = HUGE_VAL;
    double most = -HUGE_VAL;
    for (const Curve& curve : curves) {
      for (const auto& [clock, value] : curve.points) {
        if (std::isfinite(value)) {
          least = std::min(least, value);
          most = std::max(most, value);
        }
      }
    }
    if (!(most >= least)) {
      return;
    }
    const double range = most > least ? most - least : 1.0;
    const double x0 = left + kMixLeft;
    constexpr double kTop = 18.0;
    out_ << "<rect x=\"" << fixed(x0, 1) << "\" y=\"" << kTop << "\" width=\"" << kPlot
         << "\" height=\"" << kMixHeight - kTop << "\" fill=\"none\" stroke=\"#ddd\"/>"
         << text_at(left + 35.0, kTop + 8.0, significant(most))
         << text_at(left + 35.0, kMixHeight, significant(least));
    double legend = x0;
    for (const Curve& curve : curves) {
      out_ << "<polyline fill=\"none\" stroke=\"" << curve.stroke << "\" points=\"";
      std::string dots;
      for (const auto& [clock, value] : curve.points) {
        if (!std::isfinite(value)) {
          continue;
        }
        const std::string x = fixed(x0 + kPlot * clock / end_, 1);
        const std::string y = fixed(kMixHeight - (kMixHeight - kTop) * (value - least) / range, 1);
        out_ << x << ',' << y << ' ';
        dots += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"2\" fill=\"" + curve.stroke + "\"/>";
      }
      out_ << "\"/>" << dots << "<g fill=\"" << curve.stroke << "\">"
           << text_at(legend, kTop - 5.0, curve.label) << "</g>";
      legend += 120.0;
    }
    out_ << seconds_axis(x0, kPlot, kMixHeight, end_);
  }

  void rate_table() {
    out_ << "<details><summary>Steps, rates and weights of every copy</summary><table><tr><th>"
            "round<th>job<th>node<th>planned<th>steps<th>believed steps/s<th>measured<th>omega"
            "<th>loss</tr>";
    for (const CopyRecord& copy : tracker_.copies()) {
      out_ << "<tr><td>" << copy.round << "<td>" << named(copy.job) << "<td>"
           << escaped_html(tracker_.mix().nodes[copy.node].name) << "<td>" << copy.planned << "<td>"
           << copy.steps << "<td>" << significant(copy.believed) << "<td>"
           << (copy.measured > 0.0 ? significant(copy.measured) : "-") << "<td>"
           << fixed(copy.omega, 3) << "<td>" << (copy.failed ? "failed" : significant(copy.loss))
           << "</tr>";
    }
    out_ << "</table></details>";
  }

  const JobTracker& tracker_;
  const MixResult& result_;
  double end_;
  std::ostringstream out_;
};

}  // namespace

std::string mix_page(const JobTracker& tracker, const MixResult& result) {
  return MixPage(tracker, result).text();
}

}  // namespace berth::launcher

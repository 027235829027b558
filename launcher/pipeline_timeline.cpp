// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline_timeline.hpp"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "berth/error.hpp"

namespace berth::launcher {
namespace {

constexpr double kPending = -1.0;

struct Pass {
  std::uint32_t stage = 0;
  std::uint32_t micro_batch = 0;
  bool forward = true;
};

// A block and the order of its passes.
struct TimelineRow {
  std::vector<Pass> order;
  std::size_t next = 0;
  double clock = 0.0;
};

// Forward passes to warm up, then one forward and one backward in turn, then the backward rest.
template <class PassAt>
std::vector<Pass> one_forward_one_backward(std::size_t total, std::size_t warm, PassAt pass) {
  warm = std::min(total, warm);
  std::vector<Pass> order;
  for (std::size_t k = 0; k < warm; ++k) {
    order.push_back(pass(k, true));
  }
  for (std::size_t k = warm; k < total; ++k) {
    order.push_back(pass(k, true));
    order.push_back(pass(k - warm, false));
  }
  for (std::size_t k = total - warm; k < total; ++k) {
    order.push_back(pass(k, false));
  }
  return order;
}

// Block i of p with v > 1 chunks and b micro-batches, a multiple of p.
std::vector<Pass> interleaved_order(std::size_t i, std::size_t p, std::size_t v, std::size_t b) {
  return one_forward_one_backward(
      v * b, 2 * (p - i - 1) + (v - 1) * p, [&](std::size_t k, bool forward) {
        const std::size_t chunk = k / p % v;
        const std::size_t stage = (forward ? chunk : v - 1 - chunk) * p + i;
        return Pass{static_cast<std::uint32_t>(stage),
                    static_cast<std::uint32_t>(k / (p * v) * p + k % p),
                    forward};
      });
}

class Player {
 public:
  explicit Player(const ParallelPlan& plan) : plan_(plan), stages_(plan.stages.size()) {
    uniform_ = plan.is_uniform();
    batch_ = plan.micro_batches;
    if (!uniform_) {
      std::size_t least = std::numeric_limits<std::size_t>::max();
      for (const PlanStage& stage : plan.stages) {
        least = std::min(least, stage.replicas());
      }
      batch_ *= least;
    }
    for (std::size_t q = 0; q < stages_; ++q) {
      const double received = plan.stages[q].time.transfer;
      links_.push_back(received - (q > 0 ? links_[q - 1] : 0.0));
    }
    ends_[0].assign(stages_ * batch_, kPending);
    ends_[1].assign(stages_ * batch_, kPending);
    make_rows();
  }

  PipelineTimeline play() {
    const std::size_t all = 2 * stages_ * batch_;
    while (timeline_.passes.size() < all) {
      const std::size_t before = timeline_.passes.size();
      for (std::uint32_t r = 0; r < rows_.size(); ++r) {
        while (step(r)) {
        }
      }
      BERTH_CHECK(timeline_.passes.size() > before, "a pipeline schedule never stops half way");
    }
    std::stable_sort(timeline_.passes.begin(),
                     timeline_.passes.end(),
                     [](const PipelinePass& a, const PipelinePass& b) {
                       return a.row != b.row ? a.row < b.row : a.start_seconds < b.start_seconds;
                     });
    return std::move(timeline_);
  }

 private:
  void make_rows() {
    if (plan_.chunks > 1) {
      for (std::size_t i = 0; i < plan_.depth(); ++i) {
        rows_.push_back({interleaved_order(i, plan_.depth(), plan_.chunks, batch_)});
        timeline_.rows.push_back("block " + std::to_string(i + 1));
      }
      return;
    }
    // Stages of equal replicas are shown by the first one, which takes all micro-batches there are.
    std::vector<std::size_t> started(stages_);
    std::size_t downstream = 0;
    for (std::size_t q = stages_; q-- > 0;) {
      downstream += shown(q);
      started[q] = (downstream + shown(q) - 1) / shown(q);
    }
    for (std::size_t q = 0; q < stages_; ++q) {
      for (std::size_t r = 0; r < shown(q); ++r) {
        const std::size_t own = batch_ > r ? (batch_ - r - 1) / shown(q) + 1 : 0;
        rows_.push_back(
            {one_forward_one_backward(own, started[q] - 1, [&](std::size_t k, bool forward) {
              return Pass{static_cast<std::uint32_t>(q),
                          static_cast<std::uint32_t>(r + k * shown(q)),
                          forward};
            })});
        timeline_.rows.push_back("stage " + std::to_string(q + 1) +
                                 (uniform_ ? "" : " replica " + std::to_string(r + 1)));
      }
    }
  }

  [[nodiscard]] std::size_t shown(std::size_t q) const {
    return uniform_ ? 1 : plan_.stages[q].replicas();
  }

  // When a pass may start; kPending if what it waits for has not been played.
  [[nodiscard]] double ready(const Pass& pass) const {
    const std::size_t q = pass.stage;
    double at = 0.0;
    if (pass.forward && q > 0) {
      const double end = ends_[1][(q - 1) * batch_ + pass.micro_batch];
      at = end == kPending ? kPending : end + links_[q - 1];
    } else if (!pass.forward && q + 1 < stages_) {
      const double end = ends_[0][(q + 1) * batch_ + pass.micro_batch];
      at = end == kPending ? kPending : end + links_[q];
    } else if (!pass.forward) {
      at = ends_[1][q * batch_ + pass.micro_batch];
    }
    return at;
  }

  bool step(std::uint32_t r) {
    TimelineRow& row = rows_[r];
    if (row.next == row.order.size()) {
      return false;
    }
    const Pass pass = row.order[row.next];
    const double at = ready(pass);
    if (at == kPending) {
      return false;
    }
    const StageTime& time = plan_.stages[pass.stage].time;
    const double length =
        (pass.forward ? time.forward : time.backward + time.recompute) + 0.5 * time.zero;
    const double start = std::max(row.clock, at);
    row.clock = start + length;
    ends_[pass.forward ? 1 : 0][pass.stage * batch_ + pass.micro_batch] = row.clock;
    ++row.next;
    timeline_.passes.push_back({r, pass.stage, pass.micro_batch, pass.forward, start, row.clock});
    timeline_.end_seconds = std::max(timeline_.end_seconds, row.clock);
    return true;
  }

  const ParallelPlan& plan_;
  std::size_t stages_;
  bool uniform_ = true;
  std::size_t batch_ = 0;
  std::vector<double> links_;
  std::vector<double> ends_[2];  // [forward][stage x micro-batch]
  std::vector<TimelineRow> rows_;
  PipelineTimeline timeline_;
};

}  // namespace

PipelineTimeline pipeline_timeline(const ParallelPlan& plan) {
  return Player(plan).play();
}

std::string timeline_trace(const ParallelPlan& plan, const PipelineTimeline& timeline) {
  using nlohmann::ordered_json;
  constexpr double kMicroseconds = 1e6;
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  const auto add = [&out](const ordered_json& event) { out += event.dump() + ",\n"; };
  for (std::size_t r = 0; r < timeline.rows.size(); ++r) {
    add({{"ph", "M"},
         {"name", "thread_name"},
         {"pid", 0},
         {"tid", r},
         {"args", {{"name", timeline.rows[r]}}}});
  }
  for (const PipelinePass& pass : timeline.passes) {
    const std::string stage = std::to_string(pass.stage + 1);
    add({{"ph", "X"},
         {"name", (pass.forward ? "F" : "B") + std::to_string(pass.micro_batch)},
         {"cat", pass.forward ? "forward" : "backward"},
         {"pid", 0},
         {"tid", pass.row},
         {"ts", pass.start_seconds * kMicroseconds},
         {"dur", (pass.end_seconds - pass.start_seconds) * kMicroseconds},
         {"args", {{"stage", stage}, {"micro_batch", pass.micro_batch}}}});
  }
  for (std::size_t r = 0; r < timeline.rows.size(); ++r) {
    double end = 0.0;
    std::uint32_t stage = 0;
    for (const PipelinePass& pass : timeline.passes) {
      if (pass.row == r && pass.end_seconds >= end) {
        end = pass.end_seconds;
        stage = pass.stage;
      }
    }
    const StageTime& time = plan.stages[stage].time;
    add({{"ph", "X"},
         {"name", "gradients and optimizer"},
         {"cat", "sync"},
         {"pid", 0},
         {"tid", r},
         {"ts", end * kMicroseconds},
         {"dur", (time.sync + time.step) * kMicroseconds}});
  }
  add({{"ph", "M"}, {"name", "process_name"}, {"pid", 0}, {"args", {{"name", "pipeline"}}}});
  out.resize(out.size() - 2);
  return out + "\n]}\n";
}

}  // namespace berth::launcher

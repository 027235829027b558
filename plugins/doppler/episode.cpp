// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "episode.hpp"

#include <algorithm>
#include <optional>

#include "arrival_queue.hpp"
#include "candidate_set.hpp"
#include "chooser.hpp"
#include "decision_log.hpp"
#include "device_features.hpp"
#include "device_labels.hpp"
#include "device_timeline.hpp"
#include "plc_head.hpp"
#include "ready_queue.hpp"
#include "sel_head.hpp"
#include "teacher_labels.hpp"

namespace berth::doppler {
namespace {

/// The logits of all pairs of a candidate and a device.
struct Pairs {
  std::vector<float> logits;        ///< [candidates, devices]
  std::vector<std::uint8_t> legal;  ///< likewise

  void score(std::span<const std::uint32_t> candidates,
             DeviceTimeline& timeline,
             DeviceFeatures& features,
             PlcHead& plc,
             std::span<float> rows) {
    logits.clear();
    legal.clear();
    for (const std::uint32_t op : candidates) {
      timeline.look_at(op);
      features.fill(timeline, rows);
      const auto of_op = plc.logits(op, rows);
      logits.insert(logits.end(), of_op.begin(), of_op.end());
      legal.insert(legal.end(), timeline.legal().begin(), timeline.legal().end());
    }
    if (std::ranges::count(legal, 0) == static_cast<std::ptrdiff_t>(legal.size())) {
      timeline.expect_room();
    }
  }
};

bool goes_by_arrival(const Settings& settings, const ActSpec& spec) {
  return spec.by_arrival || settings.learned == LearnedPart::kReady;
}

/// Whether SEL's logits are a table, so that the choice needs no look at all candidates.
bool has_ready_queue(const Settings& settings, const ActSpec& spec) {
  const bool selects =
      settings.learned == LearnedPart::kBoth || settings.learned == LearnedPart::kSel;
  return selects && !settings.architecture.normalise && spec.mode != ActMode::kEpsGreedy;
}

}  // namespace

Rollout play_episode(const PreparedProblem& prepared,
                     const Settings& settings,
                     const ActSpec& spec,
                     Rng& rng) {
  const ProblemView& view = *prepared.view;
  const Architecture& architecture = settings.architecture;
  const std::size_t n = view.num_ops();
  std::optional<ReadyQueue> queue;
  std::optional<CandidateSet> candidates;
  std::optional<ArrivalQueue> arrivals;
  if (goes_by_arrival(settings, spec)) {
    arrivals.emplace(view.graph);
  } else if (has_ready_queue(settings, spec)) {
    const double temperature = spec.mode == ActMode::kGreedy ? 0.0 : spec.sel_explore;
    queue.emplace(view.graph, prepared.tables.sel_score, temperature);
  } else {
    candidates.emplace(view.graph);
  }
  DeviceTimeline timeline(view, settings.timeline, settings.timeline_type);
  timeline.merge_empty(settings.merge_empty_devices);
  DeviceFeatures features(view, architecture.rich_features);
  features.reset();
  SelHead sel(architecture, *prepared.heads, prepared.tables, view);
  PlcHead plc(architecture, *prepared.heads, prepared.tables, view.num_devices());
  DeviceLabels kept(view, spec.keep);
  Chooser chooser(spec.mode, std::max(n, view.num_devices()), rng);
  std::vector<float> rows(view.num_devices() * features.columns());
  Pairs pairs;
  std::vector<std::uint32_t> taught;

  Rollout rollout;
  rollout.placement.device.resize(n);
  rollout.placement.order.resize(view.has_order ? n : 0);
  rollout.decisions.reserve(2 * n);
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t paired = 0;
    std::uint32_t op = 0;
    if (arrivals) {
      op = arrivals->take();
    } else if (queue) {
      op = queue->take(rng);
    } else {
      std::size_t pick = 0;
      const auto list = candidates->list();
      if (settings.learned == LearnedPart::kJoint) {
        pairs.score(list, timeline, features, plc, rows);
        paired = chooser.choose(pairs.logits, pairs.legal, spec.explore);
        pick = paired / view.num_devices();
      } else if (settings.learned == LearnedPart::kPlc) {
        teacher_picks(view, list, taught);
        pick = taught.front();
      } else if (list.size() > 1) {
        pick = chooser.choose(sel.logits(list), {}, spec.sel_explore);
      }
      op = list[pick];
      candidates->pick(pick);
    }
    timeline.look_at(op);
    timeline.expect_room();
    Decision decision{op, 0, !spec.keep.empty() && (spec.free.empty() || spec.free[op] == 0)};
    if (decision.given) {
      decision.device = kept.device(timeline);
      decision.given = timeline.legal()[decision.device] != 0;  // ops placed anew may fill it up
    }
    if (decision.given) {
      // as it was
    } else if (settings.learned == LearnedPart::kJoint && !arrivals) {
      decision.device = static_cast<std::uint32_t>(paired % view.num_devices());
    } else if (settings.learned == LearnedPart::kSel) {
      teacher_devices(timeline, taught);
      decision.device = taught.front();
    } else {
      features.fill(timeline, rows);
      decision.device = static_cast<std::uint32_t>(
          chooser.choose(plc.logits(op, rows), timeline.legal(), spec.explore));
    }
    timeline.assign(decision.device);
    features.assigned(timeline, decision.device);
    if (arrivals) {
      arrivals->assigned(timeline);
    }
    plc.assigned(op, decision.device);
    rollout.placement.device[op] = to_id<DeviceId>(decision.device);
    if (view.has_order) {
      rollout.placement.order[op] = static_cast<double>(step);
    }
    DecisionLog::append(rollout.decisions, decision);
  }
  return rollout;
}

}  // namespace berth::doppler

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/config.hpp"
#include "berth/trainable_policy.hpp"

#include "architecture.hpp"
#include "message_graph.hpp"
#include "op_levels.hpp"

namespace berth::doppler {

enum class PathRows : std::uint8_t { kOwn, kDepthFirst };
enum class TimelineRule : std::uint8_t { kEarliestStart, kLoad };
enum class TimelineType : std::uint8_t { kDouble, kFloat32 };
enum class Exploration : std::uint8_t { kSample, kEpsGreedy };
enum class Baseline : std::uint8_t { kGroup, kRunMean };
/// Both networks; SEL alone; PLC alone, on the longest path or on what is ready first; or PLC's
/// network over all pairs of a candidate and a device.
enum class LearnedPart : std::uint8_t { kBoth, kSel, kPlc, kReady, kJoint };
enum class Teacher : std::uint8_t { kCriticalPath, kSearch, kKnown };

/// Learning of one stage; ramps go linearly with the stage's progress.
struct StageSettings {
  double learning_rate = 0.0;
  double final_learning_rate = 0.0;
  double explore = 0.0;  ///< eps of eps-greedy, or the first temperature of sampling
  double final_explore = 0.0;
  double policy_weight = 0.0;
  double imitation_weight = 0.0;
  double entropy_weight = 0.0;

  bool operator==(const StageSettings&) const = default;
};

/// All options of the plugin, parsed. "D<n>" are the defects of the reference code that the
/// README lists; each has its flag.
struct Settings {
  Architecture architecture;
  PathRows path_rows = PathRows::kOwn;                   // D2
  TimelineRule timeline = TimelineRule::kEarliestStart;  // D3
  ReverseArc reverse_arc = ReverseArc::kEdge;            // D8
  LevelCost t_level = LevelCost::kProducer;              // D9
  TimelineType timeline_type = TimelineType::kDouble;    // D13
  Exploration exploration = Exploration::kSample;        // D7
  double discount = 1.0;                                 // D10
  Baseline baseline = Baseline::kGroup;                  // D11
  bool merge_empty_devices = true;
  LearnedPart learned = LearnedPart::kBoth;
  Teacher teacher = Teacher::kCriticalPath;
  StageSettings imitation, simulation, real;
  double clip_norm = 0.0;        ///< 0: none
  bool sum_over_steps = false;   ///< Loss summed over the steps of a rollout; otherwise averaged.
  double elite_weight = 0.0;     ///< Pull towards the best known placement, once a group.
  double schedule_weight = 0.0;  ///< Pull towards its picks and devices, in its own order.
  double guided = 0.0;           ///< Share of rollouts that keep most of the best known placement.
  std::uint32_t refine_simulations = 0;  ///< Local search after rollouts of stages II, III.
  double refine_temperature = 0.0;       ///< Of that search, as a share of the makespan.
  double deep = 0.0;                     ///< Share of them with a deep search instead.
  std::uint32_t deep_simulations = 0;
  double deep_temperature = 0.0;
  double sel_temperature = 1.0;          ///< Temperature of SEL relative to PLC's when sampling.
  std::uint32_t search_simulations = 0;  ///< Of the teacher `search`, a problem.
  std::uint32_t samples = 0;             ///< Rollouts of place() without a budget.
  std::uint32_t search = 0;              ///< Local search of place() without a budget.
  bool pieces = true;                    ///< place() also places a large graph piece by piece.
  bool heuristics = true;                ///< place() considers HEFT's placements.
  bool recall = true;  ///< place() considers what the campaign knew of this very problem.

  [[nodiscard]] const StageSettings& stage(Stage stage) const noexcept;
  bool operator==(const Settings&) const = default;
};

/// `config` holds the options of option_table.hpp.
/// @throws InputError naming options that contradict each other.
[[nodiscard]] Settings parse_settings(const Config& config);

}  // namespace berth::doppler

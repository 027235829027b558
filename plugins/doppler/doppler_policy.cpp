// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_policy.hpp"

#include <algorithm>
#include <cmath>

#include "berth/error.hpp"

#include "decision_log.hpp"
#include "denormals.hpp"
#include "fitting_episode.hpp"
#include "initial_weights.hpp"
#include "refine.hpp"
#include "weights_state.hpp"

namespace berth::doppler {
namespace {

// Purposes of random streams.
constexpr std::uint64_t kWeights = 1;
constexpr std::uint64_t kActions = 2;
constexpr std::uint64_t kRegion = 3;
constexpr std::uint64_t kRefine = 4;

std::vector<float> fresh_weights(const ParameterLayout& layout, std::uint64_t seed) {
  Rng rng(seed, {kWeights});
  return initial_weights(layout, rng);
}

/// Improves a rollout's placement by local search and counts what it spends. A placement with an
/// order keeps it only while it is faster so.
void search(const PlacementProblem& problem,
            const ProblemView& view,
            const RefineSpec& spec,
            std::uint64_t seed,
            Rollout& rollout) {
  const bool may_drop_order = problem.execution.discipline == Discipline::kAuto;
  if (spec.simulations == 0 && !may_drop_order) {
    return;
  }
  Rng rng(seed, {kRefine});
  Simulator simulator(problem);
  std::vector<DeviceId> device = rollout.placement.device;
  double makespan = simulator.makespan(device);
  rollout.simulations = spec.simulations + 1;
  if (spec.simulations > 0 && std::isfinite(makespan)) {
    makespan = refine(view, simulator, spec, device, makespan, rng);
  }
  if (may_drop_order) {
    const double ordered = simulator.makespan(rollout.placement.device, rollout.placement.order);
    ++rollout.simulations;
    if (ordered < makespan) {
      return;
    }
  }
  rollout.placement = {std::move(device), {}};
}

double ramp(double first, double last, double progress) {
  return first + (last - first) * std::clamp(progress, 0.0, 1.0);
}

}  // namespace

DopplerPolicy::DopplerPolicy(const Settings& settings, std::uint64_t seed)
    : settings_(settings),
      layout_(settings_.architecture),
      encoder_(settings_.architecture, layout_),
      weights_(fresh_weights(layout_, seed)),
      adam_(layout_.size()),
      advantages_(settings_.baseline),
      cache_(settings_, layout_, encoder_) {}

std::shared_ptr<const PreparedProblem> DopplerPolicy::prepare(
    const PlacementProblem& problem) const {
  return cache_.get(problem, weights_, version_, PreparedCache::Purpose::kInference);
}

ActSpec DopplerPolicy::act_spec(const RolloutSpec& spec) const {
  const StageSettings& stage = settings_.stage(spec.stage);
  ActSpec act;
  act.mode = settings_.exploration == Exploration::kSample ? ActSpec::Mode::kSample
                                                           : ActSpec::Mode::kEpsGreedy;
  act.explore = ramp(stage.explore, stage.final_explore, spec.progress);
  act.sel_explore = act.explore;
  if (act.mode == ActSpec::Mode::kSample && spec.stage != Stage::kImitation) {
    act.sel_explore *= settings_.sel_temperature;
  }
  return act;
}

Rollout DopplerPolicy::rollout(const PlacementProblem& problem, const RolloutSpec& spec) const {
  const FlushDenormals flush;
  const std::shared_ptr<const PreparedProblem> prepared =
      cache_.get(problem, weights_, version_, PreparedCache::Purpose::kTraining);
  ActSpec act = act_spec(spec);
  std::vector<std::uint8_t> is_free;
  Rng region(spec.seed, {kRegion});
  const Elite* elite = elites_.find(spec.problem, problem.graph.num_ops());
  if (elite != nullptr && !elite->device.empty() && region.uniform() < settings_.guided) {
    is_free = free_region(problem.graph, region);
    act.keep = elite->device;
    act.free = is_free;
  }
  Rng actions(spec.seed, {kActions});
  Rollout rollout = play_fitting_episode(*prepared, settings_, act, actions);
  if (spec.stage != Stage::kImitation) {
    search(problem,
           *prepared->view,
           is_deep(spec.id, settings_.deep)
               ? RefineSpec{settings_.deep_simulations, settings_.deep_temperature}
               : RefineSpec{settings_.refine_simulations, settings_.refine_temperature},
           spec.seed,
           rollout);
  }
  return rollout;
}

Rollout DopplerPolicy::demonstrate(const PlacementProblem& problem, const RolloutSpec& spec) const {
  const FlushDenormals flush;
  const std::shared_ptr<const PreparedProblem> prepared =
      cache_.get(problem, weights_, version_, PreparedCache::Purpose::kTraining);
  Rng actions(spec.seed, {kActions});
  Rollout rollout = play_fitting_episode(*prepared, settings_, act_spec(spec), actions);
  if (settings_.teacher == Teacher::kSearch) {
    search(problem,
           *prepared->view,
           {settings_.search_simulations, settings_.refine_temperature},
           spec.seed,
           rollout);
  }
  return rollout;
}

void DopplerPolicy::assess(std::span<RolloutOutcome> outcomes) {
  advantages_.assess(outcomes);
}

void DopplerPolicy::gradient(const PlacementProblem& problem,
                             std::span<const ScoredRollout> group,
                             std::span<float> out) const {
  BERTH_CHECK(out.size() == layout_.size(), "doppler: a gradient of another size");
  const std::size_t ops = problem.graph.num_ops();
  if (group.empty() || ops == 0) {
    return;
  }
  const FlushDenormals flush;
  PreparedCache::Recorded recorded = cache_.take(problem, weights_, version_);
  Replay replay(recorded.prepared, settings_);
  for (const ScoredRollout& scored : group) {
    BERTH_CHECK(scored.rollout->decisions.size() == 2 * ops,
                "doppler: decisions of another problem");
    teach(scored, ops, replay);
  }
  const RolloutSpec& spec = group.front().outcome.spec;
  const Elite* elite = elites_.find(spec.problem, problem.graph.num_ops());
  const double schedule_weight = spec.stage != Stage::kImitation ? settings_.schedule_weight
                                 : settings_.teacher == Teacher::kKnown
                                     ? settings_.imitation.imitation_weight
                                     : 0.0;
  if (schedule_weight > 0.0 && elite != nullptr) {
    teach_schedule(*elite, schedule_weight * static_cast<double>(group.size()), replay);
  }
  if (settings_.elite_weight > 0.0 && elite != nullptr && spec.stage != Stage::kImitation) {
    // In the orders of two rollouts, so that it is learned for more than one.
    const std::size_t orders = std::min<std::size_t>(2, group.size());
    const double weight =
        settings_.elite_weight * static_cast<double>(group.size()) / static_cast<double>(orders);
    for (const ScoredRollout& scored : group.first(orders)) {
      teach_placement(elite->device, scored.rollout->decisions, weight, replay);
    }
  }
  replay.write(layout_, out);
  recorded.tape.backward(replay.table_gradient(), out.data());
}

void DopplerPolicy::teach(const ScoredRollout& scored, std::size_t ops, Replay& replay) const {
  const RolloutOutcome& outcome = scored.outcome;
  const StageSettings& stage = settings_.stage(outcome.spec.stage);
  const DecisionLog log(scored.rollout->decisions);
  const double share = settings_.sum_over_steps ? 1.0 : 1.0 / static_cast<double>(ops);
  const bool imitates = outcome.spec.stage == Stage::kImitation;
  const bool follows_labels = imitates && settings_.teacher == Teacher::kCriticalPath;
  if (stage.policy_weight > 0.0 || stage.entropy_weight > 0.0 || follows_labels) {
    std::vector<std::uint32_t> op(ops), device(ops);
    std::vector<float> sel_weight(ops), plc_weight(ops);
    double gain = stage.policy_weight * outcome.advantage * share;
    for (std::size_t step = ops; step-- > 0;) {
      const Decision decision = log[step];
      op[step] = decision.op;
      device[step] = decision.device;
      sel_weight[step] = static_cast<float>(gain);
      plc_weight[step] = decision.given ? 0.0F : static_cast<float>(gain);
      gain *= settings_.discount;
    }
    Lesson lesson{op, device, {}, sel_weight, plc_weight};
    lesson.sel_teacher = follows_labels ? static_cast<float>(stage.imitation_weight * share) : 0.0F;
    lesson.plc_teacher = lesson.sel_teacher;
    lesson.entropy_weight = static_cast<float>(stage.entropy_weight * share);
    replay.learn(lesson);
  }
  const double pull =
      follows_labels || (imitates && settings_.teacher == Teacher::kKnown)
          ? 0.0
          : stage.imitation_weight * (imitates ? 1.0 : std::max(0.0, outcome.advantage));
  if (pull > 0.0) {
    teach_placement(scored.rollout->placement.device, scored.rollout->decisions, pull, replay);
  }
}

void DopplerPolicy::teach_placement(std::span<const DeviceId> placement,
                                    std::span<const std::uint32_t> decisions,
                                    double weight,
                                    Replay& replay) const {
  const DecisionLog log(decisions);
  const std::size_t ops = log.size();
  const double share = settings_.sum_over_steps ? 1.0 : 1.0 / static_cast<double>(ops);
  std::vector<std::uint32_t> op(ops);
  for (std::size_t step = 0; step < ops; ++step) {
    op[step] = log[step].op;
  }
  const std::vector<float> none(ops, 0.0F);
  const std::vector<float> pull(ops, static_cast<float>(weight * share));
  replay.learn(Lesson{op, {}, placement, none, pull});
}

void DopplerPolicy::teach_schedule(const Elite& elite, double weight, Replay& replay) const {
  const std::size_t ops = elite.sequence.size();
  const double share = settings_.sum_over_steps ? 1.0 : 1.0 / static_cast<double>(ops);
  const std::vector<float> pull(ops, static_cast<float>(weight * share));
  replay.learn(Lesson{elite.sequence, {}, elite.device, pull, pull});
}

void DopplerPolicy::step(std::span<const float> gradient, const StepSpec& spec) {
  const FlushDenormals flush;
  const StageSettings& stage = settings_.stage(spec.stage);
  const double scale = mean_scale(gradient, spec.rollouts, settings_.clip_norm);
  adam_.step(weights_,
             gradient,
             scale,
             ramp(stage.learning_rate, stage.final_learning_rate, spec.progress));
  ++version_;
}

void DopplerPolicy::improved(const PlacementProblem& problem,
                             std::uint32_t problem_index,
                             const Placement& placement,
                             double makespan) {
  elites_.offer(problem_index, elite_of(problem, placement, makespan));
}

void DopplerPolicy::save(StateWriter& writer) const {
  save_weights(layout_, weights_, writer);
  adam_.save(writer);
  advantages_.save(writer);
  elites_.save(writer);
  if (settings_.learned == LearnedPart::kJoint) {
    const std::uint64_t joint = 1;
    writer.tensor("joint", {}, std::span<const std::uint64_t>(&joint, 1));
  }
  writer.tensor("version", {}, std::span<const std::uint64_t>(&version_, 1));
}

void DopplerPolicy::load(const StateReader& reader) {
  // Its networks have the shapes of the two policies, and mean something else.
  if (reader.has("joint") != (settings_.learned == LearnedPart::kJoint)) {
    throw CheckpointError(std::string("doppler: the checkpoint was ") +
                          (reader.has("joint") ? "" : "not ") +
                          "trained with policy=joint; use it so, or train anew");
  }
  std::vector<float> weights = load_weights(layout_, reader, "doppler");
  std::uint64_t version = 1;
  if (reader.has("adam/first") || reader.has("adam/steps")) {
    adam_.load(reader);
    advantages_.load(reader);
    elites_.load(reader);
    reader.tensor("version", {}, std::span<std::uint64_t>(&version, 1));
  } else {  // Weights alone, as they ship.
    adam_ = Adam(layout_.size());
    advantages_ = Advantages(settings_.baseline);
    elites_ = {};
  }
  weights_ = std::move(weights);
  version_ = version;
  cache_.forget();
}

}  // namespace berth::doppler

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "learned_policy.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "berth/error.hpp"

#include "best_drawn.hpp"
#include "denormals.hpp"
#include "device_timeline.hpp"
#include "initial_weights.hpp"
#include "softmax.hpp"
#include "teacher_labels.hpp"
#include "weights_state.hpp"

namespace berth::learned {
namespace {

// Purposes of random streams.
constexpr std::uint64_t kWeights = 1;
constexpr std::uint64_t kActions = 2;

constexpr std::size_t kMostProblems = 64;

std::vector<float> fresh_weights(const doppler::ParameterLayout& layout, std::uint64_t seed) {
  Rng rng(seed, {kWeights});
  return doppler::initial_weights(layout, rng);
}

doppler::DeviceTimeline timeline_of(const LearnedView& learned, bool merge_empty) {
  doppler::DeviceTimeline timeline(
      learned.view, doppler::TimelineRule::kEarliestStart, doppler::TimelineType::kDouble);
  timeline.merge_empty(merge_empty);
  return timeline;
}

double ramp(double first, double last, double progress) {
  return first + (last - first) * std::clamp(progress, 0.0, 1.0);
}

}  // namespace

/// What is to be learned from one rollout: see doppler::add_loss_gradient().
struct LearnedPolicy::Lesson {
  std::vector<std::uint32_t> device;  ///< [steps]
  std::vector<std::uint8_t> legal;    ///< [steps, devices of the problem]
  std::vector<float> target;          ///< likewise
  float entropy_weight = 0.0F;
};

LearnedPolicy::LearnedPolicy(const LearnedSettings& settings,
                             std::unique_ptr<const PlacementNet> net,
                             std::uint64_t seed)
    : settings_(settings),
      net_(std::move(net)),
      weights_(fresh_weights(net_->layout(), seed)),
      adam_(weights_.size()),
      advantages_(settings.baseline) {}

LearnedPolicy::Known& LearnedPolicy::known(const PlacementProblem& problem) const {
  const std::tuple key{
      problem.graph.hash(), problem.topology.hash(), static_cast<int>(problem.execution.model)};
  if (known_.size() >= kMostProblems && known_.find(key) == known_.end()) {
    known_.clear();
  }
  Known& entry = known_[key];
  if (entry.view == nullptr) {
    entry.view = std::make_shared<const LearnedView>(make_learned_view(problem, settings_));
  }
  return entry;
}

std::shared_ptr<const LearnedView> LearnedPolicy::view_of(const PlacementProblem& problem) const {
  const std::scoped_lock lock(mutex_);
  return known(problem).view;
}

LearnedPolicy::Known LearnedPolicy::read(const PlacementProblem& problem) const {
  const std::shared_ptr<const LearnedView> view = view_of(problem);
  if (net_->sees_placement() || view->net.num_ops == 0) {
    return {view, nullptr, version_};
  }
  const std::scoped_lock lock(mutex_);
  Known& entry = known(problem);
  if (entry.logits == nullptr || entry.version != version_) {
    const auto pass = net_->start(view->net, weights_.data(), /*with_gradient=*/false);
    entry.logits =
        std::make_shared<const std::vector<float>>(pass->logits({}, 0, view->net.num_ops));
    entry.version = version_;
  }
  return entry;
}

Rollout LearnedPolicy::play(const Known& read,
                            doppler::ActMode mode,
                            double explore,
                            Rng& rng) const {
  constexpr int kTries = 4;
  const int tries = mode == doppler::ActMode::kGreedy ? 1 : kTries;
  for (int attempt = 1; attempt < tries; ++attempt) {
    try {
      return play_once(read, mode, explore, rng);
    } catch (const SolverError&) {
      // Out of memory: other draws may fit.
    }
  }
  return play_once(read, mode, explore, rng);
}

Placement LearnedPolicy::placement_of(const Known& read, doppler::ActMode mode, Rng& rng) const {
  try {
    return play(read, mode, 1.0, rng).placement;
  } catch (const SolverError&) {
    if (read.view->view.packing.empty()) {
      throw;
    }
    return {read.view->view.packing, {}};
  }
}

Rollout LearnedPolicy::play_once(const Known& read,
                                 doppler::ActMode mode,
                                 double explore,
                                 Rng& rng) const {
  const LearnedView& learned = *read.view;
  const std::size_t n = learned.net.num_ops;
  const std::size_t devices = learned.view.num_devices();
  Rollout rollout;
  rollout.placement.device.resize(n);
  rollout.decisions.resize(n);
  if (n == 0) {
    return rollout;
  }
  const auto pass = read.logits == nullptr
                        ? net_->start(learned.net, weights_.data(), /*with_gradient=*/false)
                        : nullptr;
  doppler::DeviceTimeline timeline = timeline_of(learned, settings_.merge_empty_devices);
  doppler::Chooser chooser(mode, devices, rng);
  std::vector<float> one;
  for (std::size_t step = 0; step < n; ++step) {
    if (pass != nullptr) {
      one = pass->logits(rollout.decisions, step, 1);
    }
    const auto logits = pass != nullptr ? std::span<const float>(one)
                                        : std::span(*read.logits).subspan(step * devices, devices);
    const auto op = static_cast<std::uint32_t>(learned.net.order[step]);
    timeline.look_at(op);
    timeline.expect_room();
    const auto device =
        static_cast<std::uint32_t>(chooser.choose(logits, timeline.legal(), explore));
    timeline.assign(device);
    rollout.decisions[step] = device;
    rollout.placement.device[op] = to_id<DeviceId>(device);
  }
  return rollout;
}

Rollout LearnedPolicy::rollout(const PlacementProblem& problem, const RolloutSpec& spec) const {
  const doppler::FlushDenormals flush;
  Rng actions(spec.seed, {kActions});
  const doppler::StageSettings& settings = stage(spec.stage);
  return play(read(problem),
              settings_.exploration == doppler::Exploration::kSample ? doppler::ActMode::kSample
                                                                     : doppler::ActMode::kEpsGreedy,
              ramp(settings.explore, settings.final_explore, spec.progress),
              actions);
}

Rollout LearnedPolicy::demonstrate(const PlacementProblem& problem, const RolloutSpec& spec) const {
  return rollout(problem, spec);  // The learner acts; the teacher labels what it meets.
}

LearnedPolicy::Lesson LearnedPolicy::lesson_of(const LearnedView& learned,
                                               const ScoredRollout& scored) const {
  const std::size_t n = learned.net.num_ops;
  const std::size_t devices = learned.view.num_devices();
  const doppler::StageSettings& settings = stage(scored.outcome.spec.stage);
  const double share = settings_.sum_over_steps ? 1.0 : 1.0 / static_cast<double>(n);
  BERTH_CHECK(scored.rollout->decisions.size() == n, "decisions of another problem");
  Lesson lesson{scored.rollout->decisions,
                std::vector<std::uint8_t>(n * devices),
                std::vector<float>(n * devices, 0.0F),
                static_cast<float>(settings.entropy_weight * share)};
  doppler::DeviceTimeline timeline = timeline_of(learned, settings_.merge_empty_devices);
  std::vector<std::uint32_t> taught;
  for (std::size_t step = 0; step < n; ++step) {
    timeline.look_at(static_cast<std::uint32_t>(learned.net.order[step]));
    std::ranges::copy(timeline.legal(),
                      lesson.legal.begin() + static_cast<std::ptrdiff_t>(step * devices));
    if (scored.outcome.spec.stage == Stage::kImitation && settings.imitation_weight > 0.0) {
      doppler::teacher_devices(timeline, taught);
      for (const std::uint32_t d : taught) {
        lesson.target[step * devices + d] += static_cast<float>(settings.imitation_weight * share);
      }
    }
    timeline.assign(lesson.device[step]);
  }
  double gain = settings.policy_weight * scored.outcome.advantage * share;
  for (std::size_t step = n; step-- > 0;) {
    lesson.target[step * devices + lesson.device[step]] += static_cast<float>(gain);
    gain *= settings_.discount;
  }
  return lesson;
}

void LearnedPolicy::add_loss(const Lesson& lesson,
                             std::size_t first,
                             std::span<const float> logits,
                             std::span<float> dlogits) const {
  const std::size_t devices = lesson.target.size() / lesson.device.size();
  std::vector<float> probability(devices);
  for (std::size_t row = 0; row * devices < logits.size(); ++row) {
    const std::size_t at = (first + row) * devices;
    static_cast<void>(doppler::softmax(logits.subspan(row * devices, devices),
                                       std::span(lesson.legal).subspan(at, devices),
                                       1.0,
                                       probability));
    doppler::add_loss_gradient(probability,
                               std::span(lesson.target).subspan(at, devices),
                               lesson.entropy_weight,
                               dlogits.subspan(row * devices, devices));
  }
}

void LearnedPolicy::gradient(const PlacementProblem& problem,
                             std::span<const ScoredRollout> group,
                             std::span<float> out) const {
  BERTH_CHECK(out.size() == weights_.size(), "a gradient of another size");
  const std::size_t n = problem.graph.num_ops();
  if (group.empty() || n == 0) {
    return;
  }
  const doppler::FlushDenormals flush;
  const std::shared_ptr<const LearnedView> learned = view_of(problem);
  const std::size_t at_once = std::min(n, net_->steps_at_once(n));
  // Logits that do not depend on the placement serve the whole group.
  const std::size_t together = net_->sees_placement() ? 1 : group.size();
  for (std::size_t begin = 0; begin < group.size(); begin += together) {
    const auto pass = net_->start(learned->net, weights_.data(), /*with_gradient=*/true);
    std::vector<Lesson> lessons;
    for (const ScoredRollout& scored : group.subspan(begin, together)) {
      lessons.push_back(lesson_of(*learned, scored));
    }
    for (std::size_t first = 0; first < n; first += at_once) {
      const std::vector<float> logits =
          pass->logits(lessons.front().device, first, std::min(at_once, n - first));
      std::vector<float> dlogits(logits.size(), 0.0F);
      for (const Lesson& lesson : lessons) {
        add_loss(lesson, first, logits, dlogits);
      }
      pass->backward(dlogits);
    }
    pass->add_gradient(out.data());
  }
}

void LearnedPolicy::step(std::span<const float> gradient, const StepSpec& spec) {
  const doppler::FlushDenormals flush;
  const doppler::StageSettings& settings = stage(spec.stage);
  adam_.step(weights_,
             gradient,
             doppler::mean_scale(gradient, spec.rollouts, settings_.clip_norm),
             ramp(settings.learning_rate, settings.final_learning_rate, spec.progress));
  ++version_;
}

Placement LearnedPolicy::place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) {
  const doppler::FlushDenormals flush;
  const Known known = read(problem);
  const bool budgeted = doppler::has_budget(evaluator);
  const std::uint64_t samples =
      budgeted ? std::numeric_limits<std::uint64_t>::max() : settings_.samples;
  doppler::offer(evaluator, placement_of(known, doppler::ActMode::kGreedy, rng));
  doppler::offer_drawn(evaluator, {.samples = samples}, [&] {
    return placement_of(known, doppler::ActMode::kSample, rng);
  });
  return evaluator.best();
}

void LearnedPolicy::save(StateWriter& writer) const {
  doppler::save_weights(net_->layout(), weights_, writer);
  adam_.save(writer);
  advantages_.save(writer);
}

void LearnedPolicy::load(const StateReader& reader) {
  std::vector<float> weights = doppler::load_weights(net_->layout(), reader, settings_.name);
  if (reader.has("adam/first") || reader.has("adam/steps")) {
    adam_.load(reader);
    advantages_.load(reader);
  } else {  // Weights alone, as they ship.
    adam_ = doppler::Adam(weights.size());
    advantages_ = doppler::Advantages(settings_.baseline);
  }
  weights_ = std::move(weights);
  ++version_;
}

}  // namespace berth::learned

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "learned_settings.hpp"

#include <string>

#include "berth/error.hpp"

namespace berth::learned {
namespace {

bool is_reference(const Config& config) {
  return config.text("preset") == "reference";
}

double real_or(const Config& config, const char* name, double berth, double reference) {
  const double value = config.real(name);
  return value >= 0.0 ? value : (is_reference(config) ? reference : berth);
}

bool as_reference(const Config& config, const char* name, const char* reference) {
  const std::string& text = config.text(name);
  return text == "preset" ? is_reference(config) : text == reference;
}

LearnedSettings parse_common(const Config& config,
                             double learning_rate,
                             double final_learning_rate) {
  LearnedSettings settings;
  const bool reference = is_reference(config);
  settings.exploration = as_reference(config, "explore", "eps-greedy")
                             ? doppler::Exploration::kEpsGreedy
                             : doppler::Exploration::kSample;
  settings.baseline = as_reference(config, "baseline", "run-mean") ? doppler::Baseline::kRunMean
                                                                   : doppler::Baseline::kGroup;
  settings.merge_empty_devices = !as_reference(config, "merge_empty_devices", "false");
  settings.scales_features = !as_reference(config, "features", "raw");
  settings.discount = real_or(config, "discount", 1.0, 0.99);
  settings.clip_norm = real_or(config, "clip_norm", 1.0, 0.0);
  settings.sum_over_steps = reference;
  const bool samples = settings.exploration == doppler::Exploration::kSample;
  doppler::StageSettings& simulation = settings.simulation;
  simulation.learning_rate = real_or(config, "learning_rate", learning_rate, 1e-4);
  simulation.final_learning_rate =
      real_or(config, "final_learning_rate", final_learning_rate, simulation.learning_rate);
  simulation.explore = real_or(config, "eps", samples ? 1.0 : 0.2, samples ? 1.0 : 0.2);
  simulation.final_explore = real_or(config, "final_eps", samples ? 1.0 : 0.0, samples ? 1.0 : 0.0);
  simulation.policy_weight = 1.0;
  simulation.entropy_weight = real_or(config, "entropy_weight", 1e-3, 1e-2);
  settings.imitation = simulation;
  settings.imitation.policy_weight = 0.0;
  // The imitation of the public code has nothing but its entropy term.
  settings.imitation.imitation_weight = reference ? 0.0 : 1.0;
  settings.samples = static_cast<std::uint32_t>(config.integer("samples"));
  return settings;
}

}  // namespace

LearnedSettings parse_placeto(const Config& config, PlacetoSizes& sizes) {
  LearnedSettings settings = parse_common(config, 3e-3, 3e-4);
  settings.name = "placeto";
  sizes.columns = 2;
  sizes.rounds = static_cast<std::size_t>(config.integer("rounds"));
  sizes.head = static_cast<std::size_t>(config.integer("head"));
  sizes.every_step = config.text("message_passing") == "every-step";
  sizes.sees_parallel = !as_reference(config, "parallel", "constant");
  settings.needs_related = sizes.sees_parallel;
  return settings;
}

LearnedSettings parse_gdp(const Config& config, GdpSizes& sizes) {
  LearnedSettings settings = parse_common(config, 1e-3, 1e-4);
  settings.name = "gdp";
  settings.most_inputs = static_cast<std::size_t>(config.integer("most_inputs"));
  sizes.columns = kGdpKinds + 1 + settings.most_inputs;
  sizes.hidden = static_cast<std::size_t>(config.integer("hidden"));
  sizes.heads = static_cast<std::size_t>(config.integer("heads"));
  sizes.segment = static_cast<std::size_t>(config.integer("segment"));
  sizes.drops_single_neighbour = as_reference(config, "single_neighbour", "zeros");
  if (sizes.hidden % sizes.heads != 0) {
    throw InputError("gdp: hidden is " + std::to_string(sizes.hidden) + " and heads " +
                     std::to_string(sizes.heads) + "; expected heads that divide hidden");
  }
  return settings;
}

}  // namespace berth::learned

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "settings.hpp"

#include <string>

#include "berth/error.hpp"

#include "device_features.hpp"
#include "node_features.hpp"

namespace berth::doppler {
namespace {

enum class Preset : std::uint8_t { kBerth, kParity, kReference };

Preset parse_preset(const Config& config) {
  const std::string& text = config.text("preset");
  return text == "berth" ? Preset::kBerth
                         : (text == "parity" ? Preset::kParity : Preset::kReference);
}

/// Reads options whose unset value depends on the preset.
class Reader {
 public:
  Reader(const Config& config, Preset preset) : config_(&config), preset_(preset) {}

  [[nodiscard]] double real(const char* name, double berth, double parity) const {
    const double value = config_->real(name);
    return value >= 0.0 ? value : (preset_ == Preset::kBerth ? berth : parity);
  }
  [[nodiscard]] std::size_t count(const char* name, std::size_t berth, std::size_t parity) const {
    const std::int64_t value = config_->integer(name);
    return value >= 0 ? static_cast<std::size_t>(value)
                      : (preset_ == Preset::kBerth ? berth : parity);
  }
  /// True where the reference's way was chosen.
  [[nodiscard]] bool as_reference(const char* name, const char* reference) const {
    const std::string& text = config_->text(name);
    return text == "preset" ? preset_ == Preset::kReference : text == reference;
  }

 private:
  const Config* config_;
  Preset preset_;
};

Architecture parse_architecture(const Reader& read, Preset preset) {
  Architecture architecture;
  architecture.rich_features = preset == Preset::kBerth;
  architecture.normalise = preset != Preset::kBerth;
  architecture.node_columns = architecture.rich_features ? kRichNodeColumns : kPaperNodeColumns;
  architecture.edge_columns = architecture.rich_features ? 2 : 1;
  architecture.device_columns =
      architecture.rich_features ? kRichDeviceColumns : kPaperDeviceColumns;
  architecture.hidden = read.count("hidden", 32, 128);
  architecture.edge_hidden = read.count("edge_hidden", 8, 128);
  architecture.rounds = read.count("rounds", 3, 6);
  architecture.head = read.count("head", 32, 64);
  architecture.affinity = read.count("affinity", 16, 0);
  if (architecture.hidden == 0 || architecture.edge_hidden == 0 || architecture.head == 0) {
    throw InputError("doppler: hidden, edge_hidden and head are at least 1");
  }
  if (architecture.normalise && architecture.affinity > 0) {
    throw InputError("doppler: affinity is " + std::to_string(architecture.affinity) +
                     "; the presets parity and reference have no pairwise term: set it to 0");
  }
  return architecture;
}

LearnedPart parse_learned(const std::string& text) {
  return text == "both"    ? LearnedPart::kBoth
         : text == "sel"   ? LearnedPart::kSel
         : text == "plc"   ? LearnedPart::kPlc
         : text == "ready" ? LearnedPart::kReady
                           : LearnedPart::kJoint;
}

void parse_stages(const Config& config, const Reader& read, Settings& settings) {
  const bool decays = config.text("lr_decay") == "linear" ||
                      (config.text("lr_decay") == "preset" && config.text("preset") != "reference");
  StageSettings& imitation = settings.imitation;
  imitation.learning_rate = read.real("imitation_learning_rate", 2e-3, 1e-3);
  imitation.final_learning_rate = imitation.learning_rate;
  imitation.explore = read.real("imitation_eps", 1.0, 1.0);
  imitation.final_explore = settings.exploration == Exploration::kSample ? imitation.explore : 0.0;
  imitation.imitation_weight = 1.0;
  imitation.entropy_weight = 1e-3;
  StageSettings& simulation = settings.simulation;
  simulation.learning_rate = read.real("learning_rate", 4e-3, 1e-4);
  simulation.final_learning_rate =
      decays ? read.real("final_learning_rate", 5e-4, 1e-7) : simulation.learning_rate;
  simulation.explore =
      read.real("eps", 1.0, settings.exploration == Exploration::kSample ? 1.0 : 0.2);
  simulation.final_explore =
      read.real("final_eps", 1.0, settings.exploration == Exploration::kSample ? 1.0 : 0.0);
  simulation.policy_weight = read.real("policy_weight", 0.2, 1.0);
  simulation.imitation_weight = read.real("refined_weight", 0.2, 0.0);
  simulation.entropy_weight = read.real("entropy_weight", 1e-3, 0.0);
  settings.real = simulation;
}

}  // namespace

const StageSettings& Settings::stage(Stage stage) const noexcept {
  return stage == Stage::kImitation ? imitation : (stage == Stage::kSimulation ? simulation : real);
}

Settings parse_settings(const Config& config) {
  const Preset preset = parse_preset(config);
  const Reader read(config, preset);
  Settings settings;
  settings.architecture = parse_architecture(read, preset);
  if (read.as_reference("path_rows", "dfs")) {
    settings.path_rows = PathRows::kDepthFirst;
  }
  if (read.as_reference("timeline", "load")) {
    settings.timeline = TimelineRule::kLoad;
  }
  if (read.as_reference("explore", "eps-greedy")) {
    settings.exploration = Exploration::kEpsGreedy;
  }
  if (read.as_reference("reverse_arc", "own")) {
    settings.reverse_arc = ReverseArc::kOwn;
  }
  if (read.as_reference("t_level", "own")) {
    settings.t_level = LevelCost::kOwn;
  }
  if (read.as_reference("baseline", "run-mean")) {
    settings.baseline = Baseline::kRunMean;
  }
  if (read.as_reference("timeline_type", "float32")) {
    settings.timeline_type = TimelineType::kFloat32;
  }
  settings.discount = config.real("discount") >= 0.0 ? config.real("discount")
                                                     : (preset == Preset::kReference ? 0.99 : 1.0);
  const std::string& merge = config.text("merge_empty_devices");
  settings.merge_empty_devices = merge == "preset" ? preset == Preset::kBerth : merge == "true";
  settings.learned = parse_learned(config.text("policy"));
  if (settings.learned == LearnedPart::kJoint && settings.architecture.normalise) {
    throw InputError(
        "doppler: policy is joint; the presets parity and reference normalise over the devices of "
        "one op: use preset=berth");
  }
  const std::string& teacher = config.text("teacher");
  settings.teacher = teacher == "search"  ? Teacher::kSearch
                     : teacher == "known" ? Teacher::kKnown
                                          : Teacher::kCriticalPath;
  parse_stages(config, read, settings);
  settings.sum_over_steps = preset != Preset::kBerth;
  settings.clip_norm = read.real("clip_norm", 1.0, 0.0);
  settings.elite_weight = read.real("elite_weight", 1.0, 0.0);
  settings.schedule_weight = config.real("schedule_weight");
  settings.guided = read.real("guided", 0.8, 0.0);
  settings.refine_simulations = static_cast<std::uint32_t>(read.count("refine_simulations", 64, 0));
  settings.refine_temperature = config.real("refine_temperature");
  settings.deep = read.real("deep", 0.0075, 0.0);
  settings.deep_simulations = static_cast<std::uint32_t>(config.integer("deep_simulations"));
  settings.deep_temperature = config.real("deep_temperature");
  settings.sel_temperature = read.real("sel_temperature", 0.25, 1.0);
  settings.search_simulations = static_cast<std::uint32_t>(config.integer("search_simulations"));
  settings.search = static_cast<std::uint32_t>(config.integer("search"));
  settings.pieces = config.flag("pieces");
  settings.heuristics = config.flag("heuristics");
  settings.recall = config.flag("recall");
  settings.samples = static_cast<std::uint32_t>(config.integer("samples"));
  return settings;
}

}  // namespace berth::doppler

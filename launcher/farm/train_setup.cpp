// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "train_setup.hpp"

#include <optional>

#include "berth/error.hpp"

#include "checkpoints/state_recorder.hpp"
#include "datasets/placement_file.hpp"
#include "incumbents.hpp"
#include "problem_arguments.hpp"
#include "run_start.hpp"
#include "trained_policy.hpp"

namespace berth::launcher {
namespace {

namespace fs = std::filesystem;

ExecutionOptions execution_of(const Config& problem) {
  ExecutionOptions execution;
  execution.model = parse_execution_model(problem.text("model"));
  execution.discipline = parse_discipline(problem.text("discipline"));
  execution.streams = static_cast<std::uint32_t>(problem.integer("streams"));
  execution.compute_noise = problem.real("compute_noise");
  execution.transfer_noise = problem.real("transfer_noise");
  execution.noise_seed = static_cast<std::uint64_t>(problem.integer("noise_seed"));
  return execution;
}

MeasureSettings measure_settings_of(const Config& options) {
  MeasureSettings measure;
  measure.executor = options.text("executor");
  measure.ranks = static_cast<std::uint32_t>(options.integer("executor_ranks"));
  measure.group = static_cast<std::uint32_t>(options.integer("executor_group"));
  measure.repeats = static_cast<std::uint32_t>(options.integer("measure_repeats"));
  measure.warm_up = static_cast<std::uint32_t>(options.integer("measure_warm_up"));
  measure.confirm = static_cast<std::uint32_t>(options.integer("confirm_repeats"));
  measure.timeout_seconds = options.real("run_timeout");
  measure.trials.bound = options.real("explore_bound");
  measure.trials.limit = options.real("explore_limit");
  measure.trials.most = static_cast<std::uint64_t>(options.integer("explore_most"));
  measure.trials.adopt_margin = options.real("adopt_margin");
  return measure;
}

FarmSettings settings_of(const Campaign& campaign) {
  const Config& options = campaign.options;
  FarmSettings settings;
  settings.seed = static_cast<std::uint64_t>(options.integer("seed"));
  settings.division.rollouts = static_cast<std::uint64_t>(options.integer("rollouts"));
  settings.division.group_size = static_cast<std::uint64_t>(options.integer("group_size"));
  settings.division.problems = static_cast<std::uint32_t>(campaign.problems.size());
  settings.plan = campaign.plan();
  settings.checkpoint_every = static_cast<std::uint64_t>(options.integer("checkpoint_every"));
  settings.max_failed_rollouts = options.real("max_failed_rollouts");
  settings.measure = measure_settings_of(options);
  return settings;
}

/// The one placement of a file; an empty one without a file.
Placement given_placement(const fs::path& file, const PlacementProblem& problem, Logger& logger) {
  if (file.empty()) {
    return {};
  }
  std::vector<Placement> found = datasets::read_placements(file, problem, logger);
  if (found.size() != 1) {
    throw InputError(file.string() + ": " + std::to_string(found.size()) +
                     " placements; expected the one that runs now");
  }
  check_placement(problem, found.front());
  return std::move(found.front());
}

/// The library that offers the policy.
const berth_plugin_descriptor& plugin_of(const PluginHost& host, const std::string& policy) {
  for (const LoadedPlugin& plugin : host.loaded()) {
    for (std::uint32_t i = 0; i < plugin.descriptor->offer_count; ++i) {
      const berth_offer& offer = plugin.descriptor->offers[i];
      if (offer.interface_id == TrainablePolicy::kInterface && offer.name == policy) {
        return *plugin.descriptor;
      }
    }
  }
  throw InternalError("policy '" + policy + "' is in no loaded plugin");
}

checkpoints::Header header_of(const TrainSetup& setup, const Config& options) {
  checkpoints::Header header;
  header.policy = setup.campaign.options.text("policy");
  const berth_plugin_descriptor& plugin = plugin_of(*setup.host, header.policy);
  header.plugin = plugin.name;
  header.plugin_version = plugin.version;
  header.seed = setup.settings.seed;
  header.config = setup.campaign.to_json(options);
  for (const auto& problem : setup.problems) {
    header.graph_hashes.push_back(problem->graph.hash());
    header.topology_hashes.push_back(problem->topology.hash());
  }
  return header;
}

void check_same_campaign(const checkpoints::Header& found,
                         const checkpoints::Header& expected,
                         const fs::path& folder) {
  std::string difference = first_difference(found.config, expected.config);
  if (difference.empty() && found.policy + found.plugin != expected.policy + expected.plugin) {
    difference = "policy: " + found.policy + " and " + expected.policy;
  }
  if (difference.empty() && found.plugin_version != expected.plugin_version) {
    difference = "version of plugin " + found.plugin + ": " + found.plugin_version + " and " +
                 expected.plugin_version;
  }
  if (difference.empty() && (found.graph_hashes != expected.graph_hashes ||
                             found.topology_hashes != expected.topology_hashes)) {
    difference = "the content of a graph or topology";
  }
  if (!difference.empty()) {
    throw CheckpointError(folder.string() +
                          ": --resume of another campaign; in checkpoint and "
                          "campaign differ " +
                          difference);
  }
}

}  // namespace

Config policy_options(const Campaign& campaign, PluginHost& host) {
  Config options = host.options(TrainablePolicy::kInterface, campaign.options.text("policy"));
  for (const PolicySetting& setting : campaign.policy_settings) {
    try {
      options.set(setting.name, setting.text);
    } catch (const InputError& error) {
      rethrow_with_context(error, setting.place);
    }
  }
  return options;
}

TrainSetup set_up_training(Campaign campaign, std::unique_ptr<PluginHost> host, Logger& logger) {
  TrainSetup setup;
  setup.campaign = std::move(campaign);
  setup.host = std::move(host);
  setup.settings = settings_of(setup.campaign);
  const Config& options = setup.campaign.options;
  const Config of_policy = policy_options(setup.campaign, *setup.host);
  for (const Config& problem : setup.campaign.problems) {
    setup.problems.push_back(load_problem(setup.campaign.graph_path(problem),
                                          setup.campaign.topology_path(problem),
                                          execution_of(problem),
                                          std::nullopt,
                                          logger));
    warn_without_rates(*setup.problems.back(), logger);
    setup.settings.given.push_back(
        given_placement(setup.campaign.incumbent_path(problem), *setup.problems.back(), logger));
  }
  setup.incumbents = find_rivals(*setup.host, options.text("incumbents"), logger);
  setup.rivals = find_rivals(*setup.host, options.text("rivals"), logger);
  setup.header = header_of(setup, of_policy);
  setup.policy =
      setup.host->trainable_policy(options.text("policy"), of_policy, setup.settings.seed);
  return setup;
}

void start_fresh(TrainSetup& setup, Logger& logger) {
  const std::string& weights = setup.campaign.options.text("weights");
  if (!weights.empty() && weights != kFreshWeights) {
    logger.info("starting from weights",
                {{"checkpoint", start_from_weights(*setup.policy, setup.header.policy, weights)}});
  }
}

std::optional<checkpoints::Checkpoint> find_start(const fs::path& folder,
                                                  bool resume,
                                                  const TrainSetup& setup,
                                                  std::optional<FolderLock>& lock,
                                                  Logger& logger) {
  std::optional<checkpoints::Checkpoint> found =
      open_run_folder(folder, resume, "update", lock, logger);
  if (found) {
    check_same_campaign(found->header, setup.header, folder / "checkpoints");
  }
  return found;
}

void restore(const checkpoints::Checkpoint& checkpoint,
             const std::string& origin,
             TrainSetup& setup,
             CampaignRecord& record) {
  setup.policy->load(checkpoints::StateReplay(checkpoint.state, "policy/", origin));
  record.load(checkpoints::StateReplay(checkpoint.state, "farm/", origin), setup.problems.size());
}

}  // namespace berth::launcher

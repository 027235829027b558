// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "trained_policy.hpp"

#include <algorithm>
#include <span>

#include <nlohmann/json.hpp>

#include "berth/error.hpp"

#include "campaign.hpp"
#include "checkpoints/checkpoint_file.hpp"
#include "checkpoints/state_recorder.hpp"

namespace berth::launcher {
namespace {

/// Options of the policy as the run stored them.
Config stored_options(PluginHost& host,
                      const checkpoints::Header& header,
                      const std::string& origin) {
  Config config = host.options(TrainablePolicy::kInterface, header.policy);
  const auto stored = nlohmann::json::parse(header.config, nullptr, /*allow_exceptions=*/false);
  if (!stored.is_object() || !stored.contains("policy_options")) {
    throw CheckpointError(origin + ": its configuration names no policy options");
  }
  for (const auto& [name, value] : stored["policy_options"].items()) {
    try {
      config.set(name, value.is_string() ? value.get<std::string>() : value.dump());
    } catch (const Error& error) {
      rethrow_with_context(error, origin);
    }
  }
  return config;
}

/// A run's folder stands for its best checkpoint.
std::filesystem::path best_checkpoint(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_directory(file, ignored) ? file / "checkpoints" / "best.h5" : file;
}

/// Where the checkpoint of a policy lies that ships, in the build tree and in an installation.
std::filesystem::path shipped_checkpoint(const std::string& policy) {
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe");
  return executable.parent_path().parent_path() / "share/berth/checkpoints" / (policy + ".h5");
}

/// True if a loaded plugin offers to train the policy.
bool learns(const PluginHost& host, const std::string& name) {
  const auto trains = [&](const berth_offer& offer) {
    return offer.name == name && offer.interface_id == TrainablePolicy::kInterface;
  };
  return std::ranges::any_of(host.loaded(), [&](const LoadedPlugin& plugin) {
    return std::ranges::any_of(std::span(plugin.descriptor->offers, plugin.descriptor->offer_count),
                               trains);
  });
}

}  // namespace

std::unique_ptr<TrainablePolicy> load_trained_policy(PluginHost& host,
                                                     const PolicyRequest& request,
                                                     const std::filesystem::path& file,
                                                     std::uint64_t seed) {
  const std::filesystem::path path = best_checkpoint(file);
  const checkpoints::Checkpoint checkpoint = checkpoints::read_checkpoint(path);
  const std::string origin = path.string();
  if (checkpoint.header.policy != request.name) {
    throw InputError(origin + ": holds policy '" + checkpoint.header.policy + "'; --policy is '" +
                     request.name + "'");
  }
  Config config = stored_options(host, checkpoint.header, origin);
  for (const auto& [name, value] : request.settings) {
    config.set(name, value);
  }
  auto policy = host.trainable_policy(request.name, config, seed);
  policy->load(checkpoints::StateReplay(checkpoint.state, "policy/", origin));
  return policy;
}

MadePolicy make_policy(PluginHost& host,
                       const PolicyRequest& request,
                       const std::string& checkpoint,
                       std::uint64_t seed,
                       Logger& logger) {
  const Config config = policy_config(host, PlacementPolicy::kInterface, request);
  if (!learns(host, request.name)) {
    if (!checkpoint.empty() && checkpoint != "none") {
      return {load_trained_policy(host, request, checkpoint, seed), checkpoint};
    }
    return {host.placement_policy(request.name, config, seed), ""};
  }
  if (!checkpoint.empty() && checkpoint != "none") {
    return {load_trained_policy(host, request, checkpoint, seed),
            best_checkpoint(checkpoint).string()};
  }
  std::error_code ignored;
  const std::filesystem::path shipped = shipped_checkpoint(request.name);
  if (checkpoint.empty() && std::filesystem::is_regular_file(shipped, ignored)) {
    try {
      return {load_trained_policy(host, request, shipped, seed), shipped.string()};
    } catch (const CheckpointError& error) {
      logger.warning(std::string("the weights that ship do not fit: ") + error.what());
    }
  }
  logger.warning(
      "this policy learns, and its weights are untrained: train them, or give --checkpoint",
      {{"policy", request.name}});
  return {host.placement_policy(request.name, config, seed), "untrained"};
}

void keep_weights(checkpoints::State& state) {
  std::erase_if(state, [](const auto& entry) {
    const std::string& name = entry.first;
    return !name.starts_with("policy/") || name.starts_with("policy/adam/") ||
           name.starts_with("policy/elite/") || name == "policy/baseline" ||
           name == "policy/version";
  });
}

std::string start_from_weights(TrainablePolicy& policy,
                               const std::string& name,
                               const std::string& file) {
  const std::filesystem::path path =
      file == kShippedWeights ? shipped_checkpoint(name) : best_checkpoint(file);
  std::error_code ignored;
  if (file == kShippedWeights && !std::filesystem::is_regular_file(path, ignored)) {
    throw InputError("weights '" + file + "': none ship for policy '" + name +
                     "'; expected a checkpoint or a run's folder");
  }
  checkpoints::Checkpoint checkpoint = checkpoints::read_checkpoint(path);
  if (checkpoint.header.policy != name) {
    throw InputError(path.string() + ": holds policy '" + checkpoint.header.policy +
                     "'; the campaign trains '" + name + "'");
  }
  keep_weights(checkpoint.state);
  try {
    policy.load(checkpoints::StateReplay(checkpoint.state, "policy/", path.string()));
  } catch (const Error& error) {
    rethrow_with_context(error, "weights " + path.string());
  }
  return path.string();
}

std::string checkpoint_of(const CommandLine& line) {
  if (!line.has("checkpoint")) {
    return "";
  }
  if (line.text("checkpoint").empty()) {
    throw InputError("--checkpoint: empty; expected a checkpoint, a run's folder or none");
  }
  return line.text("checkpoint");
}

std::string policy_in(const std::filesystem::path& file) {
  return checkpoints::read_checkpoint(best_checkpoint(file)).header.policy;
}

}  // namespace berth::launcher

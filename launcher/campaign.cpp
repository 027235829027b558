// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "campaign.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "berth/error.hpp"

#include "datasets/workloads/workload_word.hpp"
#include "toml_file.hpp"

namespace berth::launcher {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Config> read_list(const toml::node& node,
                              std::span<const berth_option_spec> specs,
                              const std::filesystem::path& file,
                              const std::string& list) {
  std::vector<Config> configs;
  for (const toml::table* row : tables_of(node, file, list)) {
    Config& config = configs.emplace_back(specs);
    for (const auto& [key, value] : *row) {
      const std::string place = place_of(file, key.source());
      const std::string name(key.str());
      set_checked(config, place, name, text_of(value, place, name));
    }
  }
  return configs;
}

bool is_option(std::string_view key) {
  return std::ranges::any_of(campaign_options(),
                             [key](const berth_option_spec& spec) { return key == spec.name; });
}

std::vector<std::string> known_keys(const std::string& policy) {
  std::vector<std::string> names = {"problems", "stages", policy};
  for (const berth_option_spec& spec : campaign_options()) {
    names.emplace_back(spec.name);
  }
  return names;
}

void check_complete(const Campaign& campaign) {
  const std::string file = campaign.file.string();
  if (campaign.problems.empty()) {
    throw InputError(file +
                     ": no problem; expected problems = [{graph = \"...\", topology = "
                     "\"uniform:4\"}]");
  }
  for (std::size_t i = 0; i < campaign.problems.size(); ++i) {
    if (campaign.problems[i].text("graph").empty()) {
      throw InputError(file + ": problem " + std::to_string(i + 1) +
                       " has no graph; expected graph = \"FILE\"");
    }
  }
  if (campaign.plan().updates() == 0) {
    throw InputError(file + ": no stage with updates; expected [[stages]] with kind and updates");
  }
}

Json json_of(const Config& config) {
  Json json = Json::object();
  for (const auto& [name, text] : config.values()) {
    json[name] = text;
  }
  return json;
}

Json json_of(const std::vector<Config>& configs) {
  Json json = Json::array();
  for (const Config& config : configs) {
    json.push_back(json_of(config));
  }
  return json;
}

}  // namespace

StagePlan Campaign::plan() const {
  std::vector<StagePart> parts;
  for (const Config& stage : stages) {
    const std::string& kind = stage.text("kind");
    parts.push_back({kind == "imitation"    ? Stage::kImitation
                     : kind == "simulation" ? Stage::kSimulation
                                            : Stage::kReal,
                     static_cast<std::uint64_t>(stage.integer("updates"))});
  }
  const StagePlan plan(std::move(parts));
  const auto updates = static_cast<std::uint64_t>(options.integer("updates"));
  return updates == 0 ? plan : plan.scaled_to(updates);
}

std::string Campaign::graph_path(const Config& problem) const {
  const std::string& graph = problem.text("graph");
  return datasets::is_workload_word(graph)
             ? graph
             : (file.parent_path() / graph).lexically_normal().string();
}

std::string Campaign::topology_path(const Config& problem) const {
  const std::string& topology = problem.text("topology");
  return topology.ends_with(".json") ? (file.parent_path() / topology).lexically_normal().string()
                                     : topology;
}

std::filesystem::path Campaign::incumbent_path(const Config& problem) const {
  const std::string& incumbent = problem.text("incumbent");
  return incumbent.empty() ? std::filesystem::path()
                           : (file.parent_path() / incumbent).lexically_normal();
}

std::string Campaign::to_json(const Config& policy_options) const {
  Json json;
  json["campaign"] = json_of(options);
  json["problems"] = json_of(problems);
  json["stages"] = json_of(stages);
  json["policy_options"] = json_of(policy_options);
  return json.dump();
}

Campaign read_campaign(const std::filesystem::path& file) {
  const toml::table table = read_toml(file);
  Campaign campaign;
  campaign.file = file;
  campaign.options = Config(campaign_options());
  if (const auto policy = table["policy"].value<std::string>()) {
    campaign.options.set("policy", *policy);
  }
  const std::string policy = campaign.options.text("policy");
  for (const auto& [key, value] : table) {
    const std::string place = place_of(file, key.source());
    const std::string name(key.str());
    if (name == "problems") {
      campaign.problems = read_list(value, problem_options(), file, name);
    } else if (name == "stages") {
      campaign.stages = read_list(value, stage_options(), file, name);
    } else if (name == policy && value.is_table()) {
      for (const auto& [option, setting] : *value.as_table()) {
        const std::string at = place_of(file, option.source());
        const std::string option_name(option.str());
        campaign.policy_settings.push_back({at, option_name, text_of(setting, at, option_name)});
      }
    } else if (is_option(name)) {
      set_checked(campaign.options, place, name, text_of(value, place, name));
    } else {
      refuse_key(place, name, known_keys(policy));
    }
  }
  if (const std::string weights = campaign.options.text("weights");
      !weights.empty() && weights != kShippedWeights && weights != kFreshWeights) {
    campaign.options.set("weights", (file.parent_path() / weights).lexically_normal().string());
  }
  check_complete(campaign);
  return campaign;
}

void apply_setting(Campaign& campaign, std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string place = "--set " + std::string(word);
  if (equals == std::string_view::npos || equals == 0) {
    throw InputError(place + ": no 'key=value'; expected for example updates=100");
  }
  const std::string key(word.substr(0, equals));
  const std::string text(word.substr(equals + 1));
  const std::string policy = campaign.options.text("policy");
  if (key.starts_with(policy + ".")) {
    campaign.policy_settings.push_back({place, key.substr(policy.size() + 1), text});
  } else if (is_option(key)) {
    set_checked(campaign.options, place, key, text);
  } else {
    refuse_key(place, key, known_keys(policy + ".<option>"));
  }
}

void apply_flag(Campaign& campaign, std::string_view option, std::string_view text) {
  std::string flag = "--" + std::string(option);
  std::ranges::replace(flag, '_', '-');
  set_checked(campaign.options, flag, option, std::string(text));
}

std::string first_difference(const std::string& json_a, const std::string& json_b) {
  // The weights that a run started from are none of a resumed one's business.
  constexpr std::array kWithoutEffect = {"keep_checkpoints",
                                         "max_failed_rollouts",
                                         "rivals",
                                         "watchdog_seconds",
                                         "progress_seconds",
                                         "weights"};
  Json a = Json::parse(json_a, nullptr, /*allow_exceptions=*/false);
  Json b = Json::parse(json_b, nullptr, /*allow_exceptions=*/false);
  if (!a.is_object() || !b.is_object()) {
    return "one of the configurations is no JSON";
  }
  for (Json* json : {&a, &b}) {
    for (const char* key : kWithoutEffect) {
      if (json->contains("campaign")) {
        (*json)["campaign"].erase(key);
      }
    }
  }
  const nlohmann::json flat_a = nlohmann::json(a).flatten();
  const nlohmann::json flat_b = nlohmann::json(b).flatten();
  for (const auto* flat : {&flat_a, &flat_b}) {
    for (const auto& [path, value] : flat->items()) {
      const std::string left = flat_a.contains(path) ? flat_a[path].dump() : "nothing";
      const std::string right = flat_b.contains(path) ? flat_b[path].dump() : "nothing";
      if (left != right) {
        return path.substr(1) + ": " + left + " and " + right;
      }
    }
  }
  return {};
}

}  // namespace berth::launcher

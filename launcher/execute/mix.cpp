// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "mix.hpp"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "berth/error.hpp"

#include "toml_file.hpp"

namespace berth::launcher {
namespace {

using Json = nlohmann::ordered_json;

/// Options that change neither weights nor decisions; a run may be resumed with others.
constexpr std::string_view kWithoutEffect[] = {"keep_checkpoints", "watchdog_seconds"};

bool has_key(std::span<const berth_option_spec> specs, std::string_view key) {
  return std::ranges::any_of(specs, [key](const auto& spec) { return key == spec.name; });
}

MixNode read_node(const toml::table& table, const std::filesystem::path& file, std::size_t number) {
  Config config(mix_node_options());
  for (const auto& [key, value] : table) {
    const std::string place = place_of(file, key.source());
    set_checked(config, place, key.str(), text_of(value, place, std::string(key.str())));
  }
  MixNode node;
  node.name = config.text("name").empty() ? "node" + std::to_string(number) : config.text("name");
  node.gflops = config.real("gflops");
  node.gbps = config.real("gbps") > 0.0 ? config.real("gbps") : node.gflops;
  node.pcie_gbps = config.real("pcie_gbps");
  node.threads = static_cast<std::uint32_t>(config.integer("threads"));
  node.duty = config.real("duty");
  return node;
}

/// A path in an option "data" is relative to the mix.
std::string setting_text(const std::filesystem::path& file,
                         const std::string& name,
                         const std::string& text) {
  return name == "data" && !text.empty() ? (file.parent_path() / text).lexically_normal().string()
                                         : text;
}

MixJob read_job(const toml::table& table, const std::filesystem::path& file, std::size_t number) {
  Config config(mix_job_options());
  MixJob job;
  job.place = place_of(file, table.source());
  for (const auto& [key, value] : table) {
    const std::string place = place_of(file, key.source());
    const std::string name(key.str());
    const std::string text = text_of(value, place, name);
    if (has_key(mix_job_options(), name)) {
      set_checked(config, place, name, text);
    } else {
      job.settings.push_back({place, name, setting_text(file, name, text)});
    }
  }
  job.name = config.text("name").empty() ? "job" + std::to_string(number) : config.text("name");
  job.model = config.text("model");
  job.steps = static_cast<std::uint64_t>(config.integer("steps"));
  job.epochs = config.real("epochs");
  job.seed =
      config.integer("seed") < 0 ? number : static_cast<std::uint64_t>(config.integer("seed"));
  if (job.model.empty()) {
    throw InputError(job.place + ": job '" + job.name +
                     "' has no model; expected for example model = \"digits-mlp\"; see berth "
                     "plugins");
  }
  if ((job.steps > 0) == (job.epochs > 0.0)) {
    throw InputError(job.place + ": job '" + job.name + "' has " +
                     (job.steps > 0 ? "both steps and epochs" : "neither steps nor epochs") +
                     "; expected one of them, above zero");
  }
  return job;
}

template <class Part>
void check_names(const std::string& file, const char* what, const std::vector<Part>& parts) {
  if (parts.empty()) {
    throw InputError(file + ": no " + what + "; expected at least one [[" + what + "]]");
  }
  std::set<std::string> names;
  for (const Part& part : parts) {
    if (!names.insert(part.name).second) {
      throw InputError(file + ": two " + what + " are called '" + part.name +
                       "'; expected different names");
    }
  }
}

std::vector<std::string> known_keys() {
  std::vector<std::string> names = {"nodes", "jobs"};
  for (const berth_option_spec& spec : mix_options()) {
    names.emplace_back(spec.name);
  }
  return names;
}

}  // namespace

std::uint64_t Mix::seed() const {
  return static_cast<std::uint64_t>(options.integer("seed"));
}

bool Mix::is_step_counted() const {
  return options.integer("slot_steps") > 0;
}

MergeRule Mix::merge_rule() const {
  MergeRule rule;
  const std::string& weights = options.text("merge_weights");
  rule.weights = weights == "samples"   ? MergeWeights::kSamples
                 : weights == "uniform" ? MergeWeights::kUniform
                 : weights == "steps"   ? MergeWeights::kSteps
                                        : MergeWeights::kInverseValidationLoss;
  rule.reset_optimizer = options.text("merge_optimizer") == "reset";
  rule.mean_of_counters = options.text("merge_counters") == "sum/copies";
  return rule;
}

std::string Mix::to_json() const {
  Json json;
  for (const auto& [name, text] : options.values()) {
    if (std::ranges::find(kWithoutEffect, name) == std::end(kWithoutEffect)) {
      json["mix"][name] = text;
    }
  }
  for (const MixNode& node : nodes) {
    json["nodes"][node.name] = {{"gflops", node.gflops},
                                {"gbps", node.gbps},
                                {"pcie_gbps", node.pcie_gbps},
                                {"threads", node.threads},
                                {"duty", node.duty}};
  }
  for (const MixJob& job : jobs) {
    Json settings = Json::object();
    for (const ModelSetting& setting : job.settings) {
      // Where the mix lies does not matter, only which file it names.
      settings[setting.name] = setting.name == "data"
                                   ? std::filesystem::path(setting.text).filename().string()
                                   : setting.text;
    }
    json["jobs"][job.name] = {{"model", job.model},
                              {"steps", job.steps},
                              {"epochs", job.epochs},
                              {"seed", job.seed},
                              {"options", settings}};
  }
  return json.dump();
}

Mix read_mix(const std::filesystem::path& file) {
  const toml::table table = read_toml(file);
  Mix mix;
  mix.file = file;
  mix.options = Config(mix_options());
  for (const auto& [key, value] : table) {
    const std::string place = place_of(file, key.source());
    const std::string name(key.str());
    if (name == "nodes") {
      for (const toml::table* row : tables_of(value, file, name)) {
        mix.nodes.push_back(read_node(*row, file, mix.nodes.size()));
      }
    } else if (name == "jobs") {
      for (const toml::table* row : tables_of(value, file, name)) {
        mix.jobs.push_back(read_job(*row, file, mix.jobs.size()));
      }
    } else if (has_key(mix_options(), name)) {
      set_checked(mix.options, place, name, text_of(value, place, name));
    } else {
      refuse_key(place, name, known_keys());
    }
  }
  check_names(file.string(), "nodes", mix.nodes);
  check_names(file.string(), "jobs", mix.jobs);
  return mix;
}

void set_mix_option(Mix& mix,
                    const std::string& place,
                    std::string_view key,
                    const std::string& text) {
  if (!has_key(mix_options(), key)) {
    refuse_key(place, std::string(key), known_keys());
  }
  set_checked(mix.options, place, key, text);
}

void keep_jobs(Mix& mix, const std::string& names) {
  std::vector<std::string> known;
  for (const MixJob& job : mix.jobs) {
    known.push_back(job.name);
  }
  std::set<std::string> kept;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    if (std::ranges::find(known, name) == known.end()) {
      const std::string near = nearest_name(name, known);
      throw InputError(
          "--jobs: '" + name + "' is no job of " + mix.file.string() + "; " +
          (near.empty() ? "expected names separated by commas" : "did you mean '" + near + "'?"));
    }
    if (!kept.insert(name).second) {
      throw InputError("--jobs: '" + name + "' is given twice; expected each once");
    }
    begin = end + 1;
  }
  std::erase_if(mix.jobs, [&kept](const MixJob& job) { return kept.count(job.name) == 0; });
}

void check_mix(const Mix& mix) {
  const double seconds = mix.options.real("slot_seconds");
  if ((seconds > 0.0) == mix.is_step_counted()) {
    throw InputError(mix.file.string() + ": " +
                     (seconds > 0.0 ? "both slot_seconds and slot_steps"
                                    : "neither slot_seconds nor slot_steps") +
                     "; expected one of them above zero, the other absent or 0");
  }
  const double patience = mix.options.real("watchdog_seconds");
  if (patience > 0.0 && patience < 2.0 * seconds) {
    throw InputError(mix.file.string() + ": watchdog_seconds is " +
                     mix.options.text("watchdog_seconds") + " and a slot lasts " +
                     mix.options.text("slot_seconds") +
                     " s; expected a patience of two slots at least, or 0");
  }
}

}  // namespace berth::launcher

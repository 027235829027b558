// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "berth/config.hpp"
#include "berth/error.hpp"

#include "command_line.hpp"
#include "commands.hpp"
#include "datasets/topology_file.hpp"
#include "offer_text.hpp"
#include "plugin_arguments.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

void print_table(const SharedOffers& offers) {
  print_text(heading(offers, "") + "\n");
  for (const berth_offer* offer : offers) {
    print_text(std::string(offer->summary) + "\n");
  }
  const berth_offer& first = *offers.front();
  if (first.option_count == 0) {
    print_text("no options\n");
    return;
  }
  Table table({"option", "type", "default", "values", "meaning"});
  bool by_preset = false;
  for (const berth_option_spec& option : std::span(first.options, first.option_count)) {
    by_preset = by_preset || is_by_preset(first, option);
    table.add_row({option.name,
                   type_name(option),
                   default_text(first, option),
                   range_text(option),
                   option.help});
  }
  print_text(table.text());
  if (by_preset) {
    print_text(
        "by preset: as the option preset has it, the value of each preset in brackets, or else "
        "that of the one before it; typed, -1 or preset\n");
  }
}

void print_topologies(bool as_json) {
  Table table({"topology", "summary"});
  for (const datasets::TopologyPreset& preset : datasets::topology_presets()) {
    if (as_json) {
      const nlohmann::ordered_json line = {{"topology", preset.name}, {"summary", preset.summary}};
      print_text(line.dump() + "\n");
    }
    table.add_row({preset.name, preset.summary});
  }
  if (!as_json) {
    print_text(table.text());
  }
}

/// Offers of that name under any interface, or all for an empty name.
std::vector<const berth_offer*> offers_named(const PluginHost& host, const std::string& name) {
  std::vector<const berth_offer*> found;
  std::vector<std::string> names;
  for (const LoadedPlugin& plugin : host.loaded()) {
    for (const berth_offer& offer :
         std::span(plugin.descriptor->offers, plugin.descriptor->offer_count)) {
      names.emplace_back(offer.name);
      if (name.empty() || name == offer.name) {
        found.push_back(&offer);
      }
    }
  }
  if (found.empty() && !name.empty()) {
    const std::string near = nearest_name(name, names);
    throw PluginError("'" + name + "' is offered by no plugin; " +
                      (near.empty() ? "see berth plugins" : "did you mean '" + near + "'?"));
  }
  return found;
}

}  // namespace

int run_options(std::span<const std::string> words) {
  CommandLine line("options",
                   "[POLICY | topologies] [--markdown | --json]",
                   "Shows the options of one algorithm, or of all; or the presets of --topology.");
  line.add()("json", "one JSON line per algorithm or preset");
  line.add()("markdown", "the page OPTIONS.md");
  add_plugin_arguments(line.options());
  if (!line.parse(words)) {
    return 0;
  }
  if (line.positional().size() > 1 || (line.has("markdown") && !line.positional().empty())) {
    throw InputError("berth options: '" + line.positional().back() +
                     "' is one word too many; expected one algorithm, or none with --markdown");
  }
  if (!line.positional().empty() && line.positional()[0] == "topologies") {
    print_topologies(line.has("json"));
    return 0;
  }
  StderrLogger logger(LogLevel::kWarning);
  const auto host = make_plugin_host(line.values(), logger);
  host->load_all();
  if (line.has("markdown")) {
    print_text(options_page(*host));
    return 0;
  }
  const std::string name = line.positional().empty() ? "" : line.positional()[0];
  const std::vector<const berth_offer*> offers = offers_named(*host, name);
  if (line.has("json")) {
    for (const berth_offer* offer : offers) {
      print_text(to_json(*offer).dump() + "\n");
    }
    return 0;
  }
  const char* separator = "";
  for (const SharedOffers& group : shared_offers(offers)) {
    print_text(separator);
    print_table(group);
    separator = "\n";
  }
  return 0;
}

}  // namespace berth::launcher

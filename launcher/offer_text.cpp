// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "offer_text.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>
#include <vector>

namespace berth::launcher {
namespace {

std::string shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::string with_spaces(std::string_view choices) {
  std::string text;
  for (const char c : choices) {
    text += c;
    text += c == ',' ? " " : "";
  }
  return text;
}

/// Text as a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '|' ? "\\|" : std::string(1, c);
  }
  return escaped.empty() ? " |" : " " + escaped + " |";
}

std::string offer_section(const berth_offer& offer) {
  std::string page = "\n### " + std::string(offer.name) + " (`" + offer.interface_id + "`)\n\n" +
                     offer.summary + "\n\n";
  if (offer.option_count == 0) {
    return page + "No options.\n";
  }
  page += "| option | default | values | meaning |\n|---|---|---|---|\n";
  for (const berth_option_spec& option : std::span(offer.options, offer.option_count)) {
    const std::string range = range_text(option);
    const std::string values =
        option.type == BERTH_OPTION_INTEGER || option.type == BERTH_OPTION_REAL
            ? type_name(option) + " " + range
            : (range.empty() ? type_name(option) : range);
    const std::string initial =
        option.default_value[0] == '\0' ? "" : "`" + std::string(option.default_value) + "`";
    page += "|" + cell("`" + std::string(option.name) + "`") + cell(initial) + cell(values) +
            cell(option.help) + "\n";
  }
  return page;
}

}  // namespace

std::string type_name(const berth_option_spec& option) {
  constexpr const char* kNames[] = {"integer", "real", "flag", "text", "choice"};
  return kNames[option.type];
}

std::string range_text(const berth_option_spec& option) {
  switch (option.type) {
    case BERTH_OPTION_INTEGER:
    case BERTH_OPTION_REAL: {
      const std::string unit = option.unit[0] == '\0' ? "" : " " + std::string(option.unit);
      return shortest(option.minimum) + " to " + shortest(option.maximum) + unit;
    }
    case BERTH_OPTION_FLAG:
      return "true, false";
    case BERTH_OPTION_CHOICE:
      return with_spaces(option.choices);
    default:
      return {};
  }
}

nlohmann::ordered_json to_json(const berth_offer& offer) {
  nlohmann::ordered_json options = nlohmann::ordered_json::array();
  for (const berth_option_spec& option : std::span(offer.options, offer.option_count)) {
    nlohmann::ordered_json row = {{"name", option.name},
                                  {"type", type_name(option)},
                                  {"default", option.default_value},
                                  {"unit", option.unit},
                                  {"help", option.help}};
    if (option.type == BERTH_OPTION_INTEGER || option.type == BERTH_OPTION_REAL) {
      row["minimum"] = option.minimum;
      row["maximum"] = option.maximum;
    }
    if (option.type == BERTH_OPTION_CHOICE) {
      row["choices"] = range_text(option);
    }
    options.push_back(std::move(row));
  }
  return {{"interface", offer.interface_id},
          {"name", offer.name},
          {"summary", offer.summary},
          {"options", std::move(options)}};
}

nlohmann::ordered_json to_json(const LoadedPlugin& plugin) {
  nlohmann::ordered_json offers = nlohmann::ordered_json::array();
  const berth_plugin_descriptor& descriptor = *plugin.descriptor;
  for (const berth_offer& offer : std::span(descriptor.offers, descriptor.offer_count)) {
    offers.push_back(to_json(offer));
  }
  return {{"plugin", descriptor.name},
          {"version", descriptor.version},
          {"path", plugin.path.string()},
          {"offers", std::move(offers)}};
}

std::string options_page(const PluginHost& host) {
  std::vector<const berth_plugin_descriptor*> plugins;
  for (const LoadedPlugin& plugin : host.loaded()) {
    plugins.push_back(plugin.descriptor);
  }
  std::sort(plugins.begin(), plugins.end(), [](const auto* a, const auto* b) {
    return std::string_view(a->name) < b->name;
  });
  std::string page =
      "# Options\n\nEvery option of every algorithm, written by `berth options --markdown`; do not "
      "edit.\nAs flags: `--policy \"annealing(simulations=20000)\"`. In a campaign: keys under the "
      "algorithm's name.\n";
  for (const berth_plugin_descriptor* plugin : plugins) {
    page += "\n## Plugin " + std::string(plugin->name) + "\n";
    for (const berth_offer& offer : std::span(plugin->offers, plugin->offer_count)) {
      page += offer_section(offer);
    }
  }
  return page;
}

}  // namespace berth::launcher

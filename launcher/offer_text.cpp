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

std::string offer_section(const SharedOffers& offers) {
  std::string page = "\n### " + heading(offers, "`") + "\n";
  for (const berth_offer* offer : offers) {
    page += "\n" + std::string(offer->summary) + "\n";
  }
  const berth_offer& first = *offers.front();
  if (first.option_count == 0) {
    return page + "\nNo options.\n";
  }
  page += "\n| option | default | values | meaning |\n|---|---|---|---|\n";
  for (const berth_option_spec& option : std::span(first.options, first.option_count)) {
    const std::string range = range_text(option);
    const std::string values =
        option.type == BERTH_OPTION_INTEGER || option.type == BERTH_OPTION_REAL
            ? type_name(option) + " " + range
            : (range.empty() ? type_name(option) : range);
    const std::string initial = is_by_preset(first, option) ? "by preset"
                                : option.default_value[0] == '\0'
                                    ? ""
                                    : "`" + std::string(option.default_value) + "`";
    page += "|" + cell("`" + std::string(option.name) + "`") + cell(initial) + cell(values) +
            cell(option.help) + "\n";
  }
  return page;
}

bool same_options(const berth_offer& a, const berth_offer& b) {
  const auto text = [](const berth_offer& offer) { return to_json(offer)["options"].dump(); };
  return std::string_view(a.name) == b.name && text(a) == text(b);
}

}  // namespace

std::string type_name(const berth_option_spec& option) {
  constexpr const char* kNames[] = {"integer", "real", "flag", "text", "choice"};
  return kNames[option.type];
}

std::string flag_of(const berth_option_spec& option) {
  std::string flag = option.name;
  std::ranges::replace(flag, '_', '-');
  return flag;
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

bool is_by_preset(const berth_offer& offer, const berth_option_spec& option) {
  const std::span all(offer.options, offer.option_count);
  const std::string_view initial = option.default_value;
  return std::ranges::any_of(
             all,
             [](const berth_option_spec& any) { return any.name == std::string_view("preset"); }) &&
         (initial == "preset" || (initial == "-1" && option.minimum == -1.0));
}

std::string default_text(const berth_offer& offer, const berth_option_spec& option) {
  return is_by_preset(offer, option) ? "by preset" : option.default_value;
}

std::vector<SharedOffers> shared_offers(std::span<const berth_offer* const> offers) {
  std::vector<SharedOffers> groups;
  for (const berth_offer* offer : offers) {
    const auto group = std::ranges::find_if(
        groups, [&](const SharedOffers& known) { return same_options(*known.front(), *offer); });
    if (group == groups.end()) {
      groups.push_back({offer});
    } else {
      group->push_back(offer);
    }
  }
  return groups;
}

std::string heading(const SharedOffers& offers, const std::string& quote) {
  std::string text = offers.front()->name;
  const char* before = " (";
  for (const berth_offer* offer : offers) {
    text += before + quote + offer->interface_id + quote;
    before = ", ";
  }
  return text + ")";
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
      "algorithm's name.\nBy preset: as the option `preset` has it, the value of each preset in "
      "brackets, or else that of the one before it; typed, -1 or `preset`.\n";
  for (const berth_plugin_descriptor* plugin : plugins) {
    page += "\n## Plugin " + std::string(plugin->name) + "\n";
    std::vector<const berth_offer*> offers;
    for (const berth_offer& offer : std::span(plugin->offers, plugin->offer_count)) {
      offers.push_back(&offer);
    }
    for (const SharedOffers& group : shared_offers(offers)) {
      page += offer_section(group);
    }
  }
  return page;
}

}  // namespace berth::launcher

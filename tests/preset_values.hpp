// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <span>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "berth/config.hpp"

namespace berth::testing {

/// "What it is. [berth 1, reference 0.99]": {{"berth", "1"}, {"reference", "0.99"}}; empty for an
/// option that no preset decides.
inline std::map<std::string, std::string> preset_values(const berth_option_spec& option) {
  const std::string help = option.help;
  std::map<std::string, std::string> values;
  if (!help.ends_with(']')) {
    return values;
  }
  const std::size_t begin = help.rfind('[') + 1;
  std::istringstream text(help.substr(begin, help.size() - 1 - begin));
  for (std::string pair; std::getline(text >> std::ws, pair, ',');) {
    const std::size_t space = pair.find(' ');
    values[pair.substr(0, space)] = pair.substr(space + 1);
  }
  return values;
}

/// What an unset option stands for, by its help, is what it is parsed as.
/// @param parse settings, comparable, of a Config
template <class Parse>
void expect_help_names_what_presets_do(std::span<const berth_option_spec> options,
                                       const char* policy,
                                       const Parse& parse) {
  for (const berth_option_spec& option : options) {
    const std::string initial = option.default_value;
    const auto values = preset_values(option);
    EXPECT_EQ(values.contains("berth"), initial == "-1" || initial == "preset") << option.name;
    for (const auto& [preset, value] : values) {
      Config unset(options, policy);
      unset.set("preset", preset);
      Config set(options, policy);
      set.set("preset", preset);
      set.set(option.name, value);
      EXPECT_TRUE(parse(set) == parse(unset)) << option.name << " of preset " << preset;
    }
  }
}

}  // namespace berth::testing

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <set>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/plugin_abi.h"
#include "berth/plugin_host.hpp"

namespace berth::conformance {

/// Names, summaries and options as users will see them.
inline void check_offer(PluginHost& host, const berth_offer& offer) {
  const auto is_lower = [](std::string_view text, std::string_view also) {
    return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789" + std::string(also)) ==
           std::string_view::npos;
  };
  EXPECT_TRUE(is_lower(offer.name, "-")) << "a name is lower-case-with-dashes";
  EXPECT_STRNE(offer.summary, "") << "a summary is one line";
  EXPECT_EQ(std::string(offer.summary).find('\n'), std::string::npos) << "a summary is one line";

  std::set<std::string> names;
  for (const berth_option_spec& option : std::span(offer.options, offer.option_count)) {
    EXPECT_TRUE(is_lower(option.name, "_")) << option.name << " is lower_snake_case";
    EXPECT_TRUE(names.insert(option.name).second) << option.name << " is declared once";
    EXPECT_STRNE(option.help, "") << option.name << " has a help text";
  }
  EXPECT_THROW(host.options(offer.interface_id, offer.name).set("no_such_option_here", "1"),
               InputError);
}

/// Each option refuses what is out of its range.
inline void check_wrong_options(PluginHost& host, const berth_offer& offer) {
  for (const berth_option_spec& option : std::span(offer.options, offer.option_count)) {
    Config config = host.options(offer.interface_id, offer.name);
    const auto refuses = [&](const std::string& text) {
      EXPECT_THROW(config.set(option.name, text), InputError) << option.name << "=" << text;
    };
    switch (option.type) {
      case BERTH_OPTION_INTEGER:
      case BERTH_OPTION_REAL:
        refuses("nan");
        refuses("");
        refuses("many");
        if (std::isfinite(option.minimum)) {
          refuses(std::to_string(option.minimum - 1.0));
        }
        break;
      case BERTH_OPTION_FLAG:
      case BERTH_OPTION_CHOICE:
        refuses("no such value");
        break;
      default:
        break;
    }
  }
}

}  // namespace berth::conformance

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// usage: berth_conformance PLUGIN_OR_FOLDER...   Runs the kit on every policy found there.

#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>

#include "berth/conformance/kit.hpp"
#include "berth/logger.hpp"
#include "berth/plugin_host.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  berth::PluginHost::SearchPath path;
  for (int i = 1; i < argc; ++i) {
    (std::filesystem::is_directory(argv[i]) ? path.directories : path.files).emplace_back(argv[i]);
  }
  berth::StderrLogger logger(berth::LogLevel::kWarning);
  berth::PluginHost host(path, logger);
  host.load_all();
  for (const berth::RefusedPlugin& plugin : host.refused()) {
    std::fprintf(stderr, "refused: %s\n", plugin.reason.c_str());
  }
  if (berth::conformance::add_tests(host) == 0 || !host.refused().empty()) {
    std::fprintf(stderr, "expected at least one plugin, and none refused\n");
    return 1;
  }
  return RUN_ALL_TESTS();
}

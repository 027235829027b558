// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/plugin_host.hpp"
#include "berth/problem.hpp"

#include "error_text.hpp"

namespace berth::broken {

using testing::error_text;

/// Keeps log lines for a test to read.
class MemoryLogger final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view line) override { lines.emplace_back(line); }
  [[nodiscard]] LogLevel level() const override { return LogLevel::kInfo; }

  std::vector<std::string> lines;
};

inline std::filesystem::path plugin_file(const std::string& defect) {
  return std::filesystem::canonical(BERTH_BINARY_DIR) / "tests/broken_plugins" /
         ("berth_" + defect + ".so");
}

/// The chain a -> b -> c on two devices.
inline std::shared_ptr<const PlacementProblem> chain_problem() {
  GraphBuilder builder("chain");
  for (const char* name : {"a", "b", "c"}) {
    OpSpec op;
    op.name = name;
    op.work = 1.0;
    builder.add_op(std::move(op));
  }
  builder.add_edge(OpId{0}, OpId{1}, 1.0).add_edge(OpId{1}, OpId{2}, 1.0);
  return make_problem("chain", builder.freeze(), Topology::uniform(2), {});
}

/// A host with one broken plugin on its path.
class BrokenPlugin : public ::testing::Test {
 protected:
  PluginHost& host_of(const std::string& defect) {
    host_ = std::make_unique<PluginHost>(PluginHost::SearchPath{{plugin_file(defect)}, {}}, logger);
    return *host_;
  }

  /// "plugin 'name' (path)" of a defect whose plugin is named after it.
  static std::string who(const std::string& name, const std::string& defect) {
    return "plugin '" + name + "' (" + std::filesystem::canonical(plugin_file(defect)).string() +
           ")";
  }

  MemoryLogger logger;

 private:
  std::unique_ptr<PluginHost> host_;
};

}  // namespace berth::broken

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "run_program.hpp"

namespace berth {
namespace {

/// The page cut at its headings of plugins; "" is what comes before the first one.
std::map<std::string, std::string> sections(const std::string& page) {
  const std::string heading = "\n## Plugin ";
  std::map<std::string, std::string> found;
  std::string name;
  for (std::size_t begin = 0; begin < page.size();) {
    const std::size_t end = std::min(page.find(heading, begin + 1), page.size());
    if (begin > 0) {
      const std::size_t line = begin + heading.size();
      name = page.substr(line, page.find('\n', line) - line);
    }
    found[name] = page.substr(begin, end - begin);
    begin = end;
  }
  return found;
}

TEST(OptionsPage, IsCurrent) {
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/OPTIONS.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const testing::ProgramResult written =
      testing::run_berth("options --markdown", "BERTH_PLUGIN_PATH=");

  ASSERT_EQ(written.exit_code, 0) << written.standard_error;
  const auto expected = sections(written.standard_output);
  const auto actual = sections(page);
  for (const auto& [plugin, text] : expected) {
    const auto found = actual.find(plugin);
    EXPECT_TRUE(found != actual.end() && found->second == text)
        << "OPTIONS.md is stale for plugin '" << plugin
        << "'; run: build/bin/berth options --markdown > OPTIONS.md";
  }
  for (const auto& [plugin, text] : actual) {
    if (expected.count(plugin) == 0) {
      std::printf("OPTIONS.md: plugin '%s' is not in this build, not compared\n", plugin.c_str());
    }
  }
}

}  // namespace
}  // namespace berth

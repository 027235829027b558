// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/plugin_host.hpp"

#include "error_text.hpp"

namespace berth {
namespace {

namespace fs = std::filesystem;

/// Folders of plugins, put together from the broken ones.
class Search : public ::testing::Test {
 protected:
  Search() : root_(fs::path(::testing::TempDir()) / "berth_search_test") {
    fs::remove_all(root_);
    fs::create_directories(root_ / "one");
    fs::create_directories(root_ / "two");
  }
  ~Search() override { fs::remove_all(root_); }

  void put(const std::string& defect, const std::string& as) {
    fs::copy_file(fs::path(BERTH_BINARY_DIR) / "tests/broken_plugins" / ("berth_" + defect + ".so"),
                  root_ / as);
  }
  PluginHost host() {
    return {PluginHost::SearchPath{{}, {root_ / "one", root_ / "two"}}, logger_};
  }

  fs::path root_;
  StderrLogger logger_{LogLevel::kError};
};

TEST_F(Search, LoadsTheFileOfTheNameAlone) {
  put("wrong_size", "one/berth_a.so");
  put("nan_order", "two/berth_nan_order.so");
  PluginHost plugins = host();

  EXPECT_STREQ(plugins.find(PlacementPolicy::kInterface, "nan-order").name, "nan-order");
  ASSERT_EQ(plugins.loaded().size(), 1U);
  EXPECT_EQ(plugins.loaded()[0].path.filename(), "berth_nan_order.so");
}

// berth_a.so does not hold the name, so that it need not be loaded to know that it does not offer
// it.
TEST_F(Search, LoadsThoseThatHoldTheNameBeforeOthers) {
  put("wrong_size", "one/berth_a.so");
  put("nan_order", "one/berth_b.so");
  put("good", "one/berth_c.so");
  PluginHost plugins = host();

  static_cast<void>(plugins.find(PlacementPolicy::kInterface, "nan-order"));

  ASSERT_EQ(plugins.loaded().size(), 1U);
  EXPECT_EQ(plugins.loaded()[0].path.filename(), "berth_b.so");
}

TEST_F(Search, LoadsAllBeforeItSaysThatANameIsUnknown) {
  put("wrong_size", "one/berth_a.so");
  put("nan_order", "one/berth_b.so");
  PluginHost plugins = host();

  EXPECT_THROW(static_cast<void>(plugins.find(PlacementPolicy::kInterface, "nobody")), PluginError);

  EXPECT_EQ(plugins.loaded().size(), 2U);
}

TEST_F(Search, LooksOnlyAtFilesNamedAsPlugins) {
  put("good", "one/libgood.so");
  put("wrong_size", "one/berth_wrong_size.so.bak");
  PluginHost plugins = host();

  plugins.load_all();

  EXPECT_TRUE(plugins.loaded().empty());
  EXPECT_TRUE(plugins.refused().empty());
  EXPECT_EQ(testing::error_text<PluginError>(
                [&] { static_cast<void>(plugins.find(PlacementPolicy::kInterface, "good")); }),
            "'good' is offered by no plugin under berth.placement/1; no plugin offers any");
}

TEST_F(Search, SaysWhatWasRefusedWhereTheNameIsNotFound) {
  put("wrong_magic", "one/berth_heft.so");
  PluginHost plugins = host();

  const std::string text = testing::error_text<PluginError>(
      [&] { static_cast<void>(plugins.find(PlacementPolicy::kInterface, "heft")); });

  EXPECT_NE(text.find("; refused "), std::string::npos) << text;
  EXPECT_NE(text.find("berth_heft.so: not a berth plugin"), std::string::npos) << text;
}

}  // namespace
}  // namespace berth

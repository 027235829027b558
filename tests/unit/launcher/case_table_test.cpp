// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "launcher/case_table.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "berth/error.hpp"

namespace berth::launcher {
namespace {

class ReadCases : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_ / "graphs");
    write("a 1.dot", "");
    write("graphs/b#2.dot", "");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const auto path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  std::string refusal(const std::string& text) {
    try {
      static_cast<void>(read_cases(write("cases.csv", text), {}));
    } catch (const InputError& error) {
      const std::string what = error.what();
      return what.substr(what.find("cases.csv"));
    }
    return "accepted";
  }

  std::filesystem::path folder_;
};

TEST_F(ReadCases, TakesColumnsInAnyOrderAndIgnoresOthers) {
  const std::string csv = write("cases.csv",
                                "\xef\xbb\xbfnote,optimum,graph,devices\r\n"
                                "x,80,a 1.dot,3\r\n"
                                "\"y, quoted\",,b#2.dot,16");

  const auto cases = read_cases(csv, std::vector{(folder_ / "graphs").string()});

  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].devices, 3U);
  EXPECT_EQ(cases[0].optimum, 80.0);
  EXPECT_EQ(cases[1].devices, 16U);
  EXPECT_FALSE(cases[1].optimum.has_value());
  EXPECT_EQ(std::filesystem::path(cases[1].graph).filename(), "b#2.dot");
}

TEST_F(ReadCases, NamesTheLineAndTheFieldThatIsWrong) {
  EXPECT_EQ(refusal("file,processors\n"),
            "cases.csv:1: header 'file,processors'; expected the columns graph, devices and "
            "optionally optimum");
  EXPECT_EQ(refusal("graph,devices\na 1.dot,-1\n"),
            "cases.csv:2: devices: '-1'; expected a number of devices");
  EXPECT_EQ(refusal("graph,devices\na 1.dot,0\n"),
            "cases.csv:2: devices: '0'; expected at least 1");
  EXPECT_EQ(refusal("graph,devices,optimum\na 1.dot,2,nan\n"),
            "cases.csv:2: optimum: 'nan'; expected a finite makespan >= 0");
  EXPECT_EQ(refusal("graph,devices\na 1.dot\n"),
            "cases.csv:2: 1 fields; expected 2 as in the header");
  EXPECT_EQ(refusal("graph,devices\n"), "cases.csv: no rows; expected at least one case");
  EXPECT_NE(refusal("graph,devices\nabsent.dot,2\n").find("'absent.dot' does not exist"),
            std::string::npos);
}

TEST_F(ReadCases, NamesAMissingTable) {
  EXPECT_THROW(static_cast<void>(read_cases((folder_ / "none.csv").string(), {})), InputError);
}

}  // namespace
}  // namespace berth::launcher

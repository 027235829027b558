// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "launcher/table.hpp"

#include <gtest/gtest.h>

namespace berth::launcher {
namespace {

TEST(Table, AlignsNumbersToTheRightAndTextToTheLeft) {
  Table table({"policy", "makespan"});
  table.add_row({"heft", "80"});
  table.add_row({"annealing", "7300.5"});

  EXPECT_EQ(table.text(),
            "policy     makespan\n"
            "-------------------\n"
            "heft             80\n"
            "annealing    7300.5\n");
}

TEST(Table, AlignsQuantitiesWithUnitsToTheRight) {
  Table table({"stage", "time", "memory"});
  table.add_row({"1", "104.2 ms", "9.5 GB"});
  table.add_row({"2", "0 ns", "72.8 GB"});

  EXPECT_EQ(table.text(),
            "stage      time   memory\n"
            "------------------------\n"
            "    1  104.2 ms   9.5 GB\n"
            "    2      0 ns  72.8 GB\n");
}

TEST(Table, CountsCodePointsSoThatUnitsWithMuAlign) {
  Table table({"a", "b"});
  table.add_row({"µs", "x"});
  table.add_row({"ms", "y"});

  EXPECT_EQ(table.text(), "a   b\n-----\nµs  x\nms  y\n");
}

TEST(Significant, KeepsTheDigitsThatMatter) {
  EXPECT_EQ(significant(1234.56, 4), "1235");
  EXPECT_EQ(significant(56.6959, 4), "56.70");
  EXPECT_EQ(significant(0.0123456, 4), "0.01235");
  EXPECT_EQ(significant(0.0), "0.0000");
  EXPECT_EQ(significant(1.2e12, 3), "1.20e+12");
}

TEST(Significant, HasAsManyDigitsForEveryTimeOfARun) {
  EXPECT_EQ(significant(41.6, 3), "41.6");
  EXPECT_EQ(significant(0.179, 3), "0.179");
  EXPECT_EQ(significant(0.047, 3), "0.0470");
  EXPECT_EQ(significant(0.001, 3), "0.00100");
  EXPECT_EQ(significant(1.4e-4, 3), "0.000140");
  EXPECT_EQ(significant(-1.4e-4, 3), "-0.000140");
  EXPECT_EQ(significant(5.01e-5, 3), "5.01e-05");
  EXPECT_EQ(significant(2.79e-6, 3), "2.79e-06");
}

TEST(Percent, ShowsAFractionWithOneDecimal) {
  EXPECT_EQ(percent(0.0347), "3.5 %");
}

}  // namespace
}  // namespace berth::launcher

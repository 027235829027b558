// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/logger.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth {
namespace {

class MemoryLogger final : public Logger {
 public:
  explicit MemoryLogger(LogLevel level) : level_(level) {}
  void write(LogLevel /*level*/, std::string_view line) override { lines.emplace_back(line); }
  [[nodiscard]] LogLevel level() const override { return level_; }

  std::vector<std::string> lines;

 private:
  LogLevel level_;
};

TEST(Logger, DropsWhatIsBelowItsLevel) {
  MemoryLogger logger(LogLevel::kWarning);

  logger.debug("a");
  logger.info("b");
  logger.warning("c");
  logger.error("d");

  EXPECT_EQ(logger.lines, (std::vector<std::string>{"c", "d"}));
}

TEST(Logger, WritesFieldsAfterTheMessage) {
  MemoryLogger logger(LogLevel::kInfo);

  logger.info("update done",
              {{"update", 7}, {"mean_seconds", 0.25}, {"file", "latest.h5"}, {"rank", -1}});

  EXPECT_EQ(
      logger.lines,
      std::vector<std::string>{"update done update=7 mean_seconds=0.25 file=latest.h5 rank=-1"});
}

TEST(Logger, WritesNumbersInFull) {
  MemoryLogger logger(LogLevel::kInfo);

  logger.info("n",
              {{"u", ~std::uint64_t{0}}, {"i", std::int64_t{-9223372036854775807}}, {"d", 0.1}});

  EXPECT_EQ(logger.lines,
            std::vector<std::string>{"n u=18446744073709551615 i=-9223372036854775807 d=0.1"});
}

TEST(StderrLogger, WritesOneLineWithLevelAndPrefix) {
  StderrLogger logger(LogLevel::kInfo, "[rank 3] ");

  ::testing::internal::CaptureStderr();
  logger.debug("hidden");
  logger.warning("slow", {{"seconds", 2}});

  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "[warning] [rank 3] slow seconds=2\n");
}

}  // namespace
}  // namespace berth

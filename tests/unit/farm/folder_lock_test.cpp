// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "launcher/farm/folder_lock.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "error_text.hpp"

namespace berth::launcher {
namespace {

constexpr std::chrono::milliseconds kNoPatience{0};

class FolderLockTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) / "folder_lock_test";
  StderrLogger logger_{LogLevel::kWarning};
};

TEST_F(FolderLockTest, KeepsASecondRunOutUntilTheFirstEnds) {
  std::optional<FolderLock> first(std::in_place, folder_, kNoPatience, logger_);

  EXPECT_EQ(berth::testing::error_text<InputError>(
                [this] { FolderLock second(folder_, kNoPatience, logger_); }),
            folder_.string() +
                ": another run writes into this folder; expected it to have ended; wait for it or "
                "choose another --out");
  first.reset();
  EXPECT_NO_THROW(FolderLock(folder_, kNoPatience, logger_));
}

TEST_F(FolderLockTest, LeavesNothingInTheFolder) {
  { const FolderLock lock(folder_, kNoPatience, logger_); }

  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace berth::launcher

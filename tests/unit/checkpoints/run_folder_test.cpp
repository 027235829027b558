// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "checkpoints/run_folder.hpp"

#include <set>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "checkpoints/checkpoint_file.hpp"
#include "sample.hpp"

namespace berth::checkpoints {
namespace {

using testing::bytes_of;
using testing::error_of;
using testing::put_bytes;
using testing::sample_checkpoint;
using testing::TemporaryFolder;

class LinesLogger final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view line) override { lines.emplace_back(line); }
  [[nodiscard]] LogLevel level() const override { return LogLevel::kDebug; }

  std::vector<std::string> lines;
};

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

TEST(RunFolder, KeepsTheLatestTheBestAndThePreviousOnes) {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary / "checkpoints", 2);

  folder.store(sample_checkpoint(10), Standing::kLatestAndBest);
  folder.store(sample_checkpoint(20), Standing::kLatest);
  folder.store(sample_checkpoint(30), Standing::kLatest);
  folder.store(sample_checkpoint(30), Standing::kLatest);

  const std::set<std::string> expected = {
      "best.h5", "latest.h5", "update_000000000020.h5", "update_000000000030.h5"};
  EXPECT_EQ(names_in(folder.path()), expected);
  EXPECT_EQ(read_checkpoint(folder.path() / "latest.h5").header.update, 30U);
  EXPECT_EQ(read_checkpoint(folder.path() / "best.h5").header.update, 10U);
}

TEST(RunFolder, FallsBackToThePreviousCheckpointAndSaysSo) {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary.path(), 2);
  folder.store(sample_checkpoint(10), Standing::kLatest);
  folder.store(sample_checkpoint(20), Standing::kLatest);
  std::vector<char> bytes = bytes_of(folder.path() / "latest.h5");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  bytes.resize(bytes.size() - 1);
  put_bytes(folder.path() / "latest.h5", bytes);
  LinesLogger logger;

  const std::optional<Checkpoint> loaded = folder.load_latest(logger);

  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->header.update, 10U);
  ASSERT_EQ(logger.lines.size(), 3U);  // latest.h5 and its numbered name are one file
  EXPECT_NE(logger.lines[0].find("checkpoint refused: "), std::string::npos);
  EXPECT_NE(logger.lines[0].find("latest.h5"), std::string::npos);
  EXPECT_NE(logger.lines[2].find("continuing from the previous checkpoint"), std::string::npos);
  EXPECT_NE(logger.lines[2].find("update=10"), std::string::npos);
}

TEST(RunFolder, IsEmptyBeforeTheFirstCheckpoint) {
  const TemporaryFolder temporary;
  LinesLogger logger;

  EXPECT_FALSE(RunFolder(temporary.path(), 1).load_latest(logger).has_value());
  EXPECT_FALSE(RunFolder(temporary / "absent", 1).load_latest(logger).has_value());
}

TEST(RunFolder, RefusesWhenNothingIsIntact) {
  const TemporaryFolder temporary;
  put_bytes(temporary / "latest.h5", {'x'});
  LinesLogger logger;

  const std::string message = error_of<CheckpointError>(
      [&] { static_cast<void>(RunFolder(temporary.path(), 1).load_latest(logger)); });

  EXPECT_NE(message.find("latest.h5: not an HDF5 file"), std::string::npos) << message;
  EXPECT_NE(message.find("no other checkpoint"), std::string::npos) << message;
}

TEST(RunFolder, ForgetsCheckpointsFromBeforeAFallback) {
  const TemporaryFolder temporary;
  const RunFolder folder(temporary.path(), 3);
  folder.store(sample_checkpoint(30), Standing::kLatest);

  folder.store(sample_checkpoint(20), Standing::kLatest);

  EXPECT_EQ(names_in(folder.path()),
            (std::set<std::string>{"latest.h5", "update_000000000020.h5"}));
}

}  // namespace
}  // namespace berth::checkpoints

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "farm/metrics_file.hpp"

#include <string>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "unit/checkpoints/sample.hpp"

namespace berth::launcher {
namespace {

using checkpoints::testing::bytes_of;
using checkpoints::testing::error_of;
using checkpoints::testing::TemporaryFolder;

std::string text_of(const std::filesystem::path& file) {
  const std::vector<char> bytes = bytes_of(file);
  return {bytes.begin(), bytes.end()};
}

TEST(MetricsFile, CutsLinesAfterTheCheckpointAndHalfWrittenOnes) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "metrics.jsonl";
  std::ofstream(file) << "{\"update\":1}\n{\"update\":2}\n{\"update\":3}\n{\"upd";

  MetricsFile(file, 2).append("{\"update\":3,\"again\":true}");

  EXPECT_EQ(text_of(file), "{\"update\":1}\n{\"update\":2}\n{\"update\":3,\"again\":true}\n");
}

TEST(MetricsFile, RefusesAFileWithFewerLinesThanTheCheckpointSays) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "metrics.jsonl";
  std::ofstream(file) << "{\"update\":1}\n{\"upd";

  EXPECT_EQ(error_of<RunError>([&] { MetricsFile(file, 2); }),
            file.string() + ": 1 lines; the checkpoint follows 2; was the file edited or removed?");
}

}  // namespace
}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "checkpoints/checkpoint_file.hpp"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "berth/error.hpp"

#include "sample.hpp"

namespace berth::checkpoints {
namespace {

using testing::bytes_of;
using testing::error_of;
using testing::sample_checkpoint;
using testing::TemporaryFolder;

TEST(CheckpointFile, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const Checkpoint written = sample_checkpoint();

  write_checkpoint(written, folder / "données グラフ.h5");
  const Checkpoint read = read_checkpoint(folder / "données グラフ.h5");

  EXPECT_EQ(differences(written, read), std::vector<std::string>{});
  EXPECT_EQ(read.header, written.header);
  EXPECT_EQ(std::signbit(read.state.at("policy/sel/weight").float32[1]), true);
}

TEST(CheckpointFile, EqualContentGivesEqualBytes) {
  const TemporaryFolder folder;

  write_checkpoint(sample_checkpoint(), folder / "a.h5");
  write_checkpoint(sample_checkpoint(), folder / "b.h5");

  EXPECT_EQ(bytes_of(folder / "a.h5"), bytes_of(folder / "b.h5"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5.partial"));
}

int expect_plain_object(hid_t object, const char* name, const H5O_info_t* info, void* datasets) {
  EXPECT_EQ(info->mtime, 0) << name;
  EXPECT_EQ(info->btime, 0) << name;
  if (info->type == H5O_TYPE_DATASET) {
    ++*static_cast<int*>(datasets);
    const hid_t dataset = H5Dopen2(object, name, H5P_DEFAULT);
    const hid_t creation = H5Dget_create_plist(dataset);
    EXPECT_GE(H5Pget_filter_by_id2(
                  creation, H5Z_FILTER_FLETCHER32, nullptr, nullptr, nullptr, 0, nullptr, nullptr),
              0)
        << name;
    H5Pclose(creation);
    H5Dclose(dataset);
  }
  return 0;
}

TEST(CheckpointFile, HoldsNoTimesAndChecksumsEveryDataset) {
  const TemporaryFolder folder;
  write_checkpoint(sample_checkpoint(), folder / "a.h5");

  const hid_t file = H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  int datasets = 0;
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, expect_plain_object, &datasets);
  H5Fclose(file);

  // note, blank, sel/large, and packed: mean; sel float32 and uint64; only/empty.
  EXPECT_EQ(datasets, 7);
}

TEST(CheckpointFile, HoldsTensorsOfSeveralChunks) {
  const TemporaryFolder folder;
  Checkpoint written;
  StateRecorder recorder(written.state, "");
  std::vector<float> values(3U * 700U * 1000U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 1021);
  }
  recorder.tensor("big", std::vector<std::int64_t>{3, 700, 1000}, values);

  write_checkpoint(written, folder / "a.h5");

  EXPECT_EQ(differences(written, read_checkpoint(folder / "a.h5")), std::vector<std::string>{});
}

TEST(CheckpointFile, HoldsALongConfiguration) {
  const TemporaryFolder folder;
  Checkpoint written = sample_checkpoint();
  written.header.config.assign(200'000, 'x');

  write_checkpoint(written, folder / "a.h5");

  EXPECT_EQ(read_checkpoint(folder / "a.h5").header.config, written.header.config);
}

TEST(CheckpointDifferences, NameTheValueOfTheConfigurationAndNotAllOfIt) {
  Checkpoint a = sample_checkpoint();
  Checkpoint b = sample_checkpoint();
  a.header.config = R"({"campaign": {"seed": "1", "updates": "24"}, "stages": [{"updates": 1}]})";
  b.header.config = R"({"campaign": {"seed": "1", "updates": "8"}, "stages": [{}]})";

  EXPECT_EQ(differences(a, b),
            (std::vector<std::string>{"config/campaign/updates: '24' and '8'",
                                      "config/stages/0: only in the second",
                                      "config/stages/0/updates: only in the first"}));
}

TEST(CheckpointFile, StillReadsFormatOne) {
  const std::filesystem::path fixture =
      std::filesystem::path(BERTH_SOURCE_DIR) / "checkpoints/fixtures/format_1.h5";

  EXPECT_EQ(differences(sample_checkpoint(), read_checkpoint(fixture)), std::vector<std::string>{});
}

TEST(CheckpointFile, RefusesANewerFormatNamingBoth) {
  const TemporaryFolder folder;
  Checkpoint newer = sample_checkpoint();
  newer.header.format_version = 99;
  write_checkpoint(newer, folder / "a.h5");

  const std::string message =
      error_of<CheckpointError>([&] { static_cast<void>(read_checkpoint(folder / "a.h5")); });

  EXPECT_EQ(message,
            (folder / "a.h5").string() +
                ": checkpoint format 99; this berth reads formats 1 to 1; use a newer berth");
}

TEST(CheckpointFile, SaysThatAFullDiskLeftTheOldFileIntact) {
  const TemporaryFolder folder;
  write_checkpoint(sample_checkpoint(1), folder / "a.h5");
  std::filesystem::create_symlink("/dev/full", folder / "a.h5.partial");

  const std::string message =
      error_of<RunError>([&] { write_checkpoint(sample_checkpoint(2), folder / "a.h5"); });

  EXPECT_EQ(message,
            (folder / "a.h5.partial").string() +
                ": cannot write: No space left on device; what was there before is intact");
  EXPECT_EQ(read_checkpoint(folder / "a.h5").header.update, 1U);
}

TEST(CheckpointFile, SaysWhyAFileCannotBeWritten) {
  const TemporaryFolder folder;

  const std::string message =
      error_of<RunError>([&] { write_checkpoint(sample_checkpoint(), folder / "no/a.h5"); });

  EXPECT_NE(message.find("cannot create: No such file or directory"), std::string::npos) << message;
}

TEST(Differences, NamesHeaderFieldsTensorsAndValues) {
  const Checkpoint a = sample_checkpoint(1);
  Checkpoint b = sample_checkpoint(2);
  b.state.at("policy/sel/weight").float32[4] = 7.0F;
  b.state.erase("policy/note");
  b.state.at("policy/sel/bias").shape = {};

  const std::vector<std::string> lines = differences(a, b);

  const std::vector<std::string> expected = {
      "update: '1' and '2'",
      "policy/note: only in the first",
      "policy/sel/bias: float32 [1] and float32 []",
      "policy/sel/weight: 1 of 6 values differ, the first at 4: 5.000000 and 7.000000"};
  EXPECT_EQ(lines, expected);
}

}  // namespace
}  // namespace berth::checkpoints

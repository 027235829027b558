// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <hdf5.h>

#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "checkpoints/checkpoint_file.hpp"
#include "sample.hpp"

namespace berth::checkpoints {
namespace {

using testing::bytes_of;
using testing::error_of;
using testing::put_bytes;
using testing::sample_checkpoint;
using testing::TemporaryFolder;

std::string refusal_of(const std::filesystem::path& file) {
  return error_of<CheckpointError>([&] { static_cast<void>(read_checkpoint(file)); });
}

TEST(DamagedCheckpoint, NoSingleBitFlipGoesUnnoticed) {
  const TemporaryFolder folder;
  const Checkpoint written = sample_checkpoint();
  write_checkpoint(written, folder / "a.h5");
  const std::vector<char> intact = bytes_of(folder / "a.h5");
  ASSERT_EQ(differences(written, read_checkpoint(folder / "a.h5")), std::vector<std::string>{});
  Rng rng(1, {0x666c6970});
  int refused = 0;

  for (int i = 0; i < 400; ++i) {
    std::vector<char> flipped = intact;
    const std::uint64_t bit = rng.below(intact.size() * 8);
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    put_bytes(folder / "b.h5", flipped);
    try {
      // A flip in a byte that holds nothing is harmless; anything else must be refused.
      ASSERT_EQ(differences(written, read_checkpoint(folder / "b.h5")), std::vector<std::string>{})
          << "bit " << bit;
    } catch (const CheckpointError& error) {
      ++refused;
      ASSERT_NE(std::string(error.what()).find((folder / "b.h5").string()), std::string::npos);
    }
  }

  EXPECT_GT(refused, 300);
}

TEST(DamagedCheckpoint, EveryTruncationIsRefused) {
  const TemporaryFolder folder;
  write_checkpoint(sample_checkpoint(), folder / "a.h5");
  const std::vector<char> intact = bytes_of(folder / "a.h5");
  Rng rng(1, {0x63757473});

  for (int i = 0; i < 40; ++i) {
    std::vector<char> cut = intact;
    cut.resize(rng.below(intact.size()));
    put_bytes(folder / "b.h5", cut);
    EXPECT_NE(refusal_of(folder / "b.h5"), "") << cut.size() << " bytes";
  }
}

TEST(DamagedCheckpoint, SaysThatAFileIsAbsentEmptyOrForeign) {
  const TemporaryFolder folder;
  put_bytes(folder / "empty.h5", {});
  put_bytes(folder / "text.h5", {'h', 'e', 'l', 'l', 'o'});

  EXPECT_EQ(
      refusal_of(folder / "none.h5"),
      (folder / "none.h5").string() + ": No such file or directory; expected a berth checkpoint");
  EXPECT_EQ(refusal_of(folder / "empty.h5"),
            (folder / "empty.h5").string() + ": empty file; expected a berth checkpoint");
  EXPECT_EQ(refusal_of(folder.path()),
            folder.path().string() + ": Is a directory; expected a berth checkpoint");
  EXPECT_EQ(refusal_of(folder / "text.h5"),
            (folder / "text.h5").string() +
                ": not an HDF5 file; expected a berth checkpoint (HDF5 with attribute format = "
                "'berth-checkpoint')");
}

TEST(DamagedCheckpoint, SaysThatAnHdf5FileIsOfAnotherKind) {
  const TemporaryFolder folder;
  H5Fclose(H5Fcreate((folder / "other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

  EXPECT_EQ(refusal_of(folder / "other.h5"),
            (folder / "other.h5").string() +
                ": an HDF5 file of another kind; expected attribute format = 'berth-checkpoint'");
}

TEST(DamagedCheckpoint, TellsATruncatedFileFromADamagedOne) {
  const TemporaryFolder folder;
  write_checkpoint(sample_checkpoint(), folder / "a.h5");
  std::vector<char> bytes = bytes_of(folder / "a.h5");
  bytes.resize(bytes.size() / 2);
  put_bytes(folder / "b.h5", bytes);

  const std::string message = refusal_of(folder / "b.h5");

  EXPECT_NE(message.find("damaged checkpoint (open: truncated file"), std::string::npos) << message;
  EXPECT_NE(message.find("use the previous checkpoint"), std::string::npos) << message;
}

}  // namespace
}  // namespace berth::checkpoints

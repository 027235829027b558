// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "checkpoints/checkpoint.hpp"
#include "checkpoints/state_recorder.hpp"

namespace berth::checkpoints::testing {

/// A folder of its own for each test process, removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// Every type, scalars, an empty tensor, packed and large tensors, texts.
inline Checkpoint sample_checkpoint(std::uint64_t update = 12) {
  Checkpoint checkpoint;
  checkpoint.header.plugin = "tables";
  checkpoint.header.plugin_version = "1.0";
  checkpoint.header.policy = "table";
  checkpoint.header.seed = 7;
  checkpoint.header.update = update;
  checkpoint.header.config = R"({"rollouts":"16","note":"größer"})";
  checkpoint.header.graph_hashes = {0xfedcba9876543210ULL, 2};
  checkpoint.header.topology_hashes = {3, 4};
  StateRecorder recorder(checkpoint.state, "policy/");
  const std::vector<float> weight = {1.5F, -0.0F, 3e-42F, 4.0F, 5.0F, 6.0F};
  recorder.tensor("sel/weight", std::vector<std::int64_t>{2, 3}, weight);
  recorder.tensor("sel/bias", std::vector<std::int64_t>{1}, std::vector<float>{0.25F});
  recorder.tensor("sel/none", std::vector<std::int64_t>{0, 5}, std::vector<float>{});
  recorder.tensor("sel/count", {}, std::vector<std::uint64_t>{~0ULL});
  recorder.tensor("mean", {}, std::vector<double>{0.1});
  recorder.tensor("only/empty", std::vector<std::int64_t>{0}, std::vector<double>{});
  std::vector<float> large(5000);
  for (std::size_t i = 0; i < large.size(); ++i) {
    large[i] = static_cast<float>(i) * 0.5F;
  }
  recorder.tensor("sel/large", std::vector<std::int64_t>{50, 100}, large);
  recorder.text("note", "two\nlines");
  recorder.text("blank", "");
  return checkpoint;
}

inline std::vector<char> bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void put_bytes(const std::filesystem::path& file, const std::vector<char>& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// What `action` throws, as text; empty if it throws nothing.
template <class ErrorType, class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const ErrorType& error) {
    return error.what();
  }
  return {};
}

}  // namespace berth::checkpoints::testing

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "checkpoints/state_recorder.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "sample.hpp"

namespace berth::checkpoints {
namespace {

using testing::error_of;
using Shape = std::vector<std::int64_t>;

TEST(StateRecorder, RefusesBadNamesShapesAndRepeats) {
  State state;
  StateRecorder recorder(state, "policy/");
  const std::vector<float> one = {1.0F};
  recorder.tensor("a", {}, one);

  const auto refusal = [&](const std::string& name, const Shape& shape) {
    return error_of<PluginError>([&] { recorder.tensor(name, shape, one); });
  };
  EXPECT_EQ(refusal("a", {}), "saved state: 'policy/a' is saved twice; expected unique names");
  EXPECT_EQ(refusal("b", {2, 3}),
            "saved state: 'policy/b' has 1 values; expected as many as its shape [2, 3] holds");
  EXPECT_NE(refusal("b", {-1}), "");
  for (const std::string name : {"", "/b", "b/", "b//c", "packed float32", "b/packed x"}) {
    EXPECT_NE(refusal(name, {}).find("expected a path"), std::string::npos) << name;
  }
  EXPECT_EQ(state.size(), 1U);
}

TEST(StateReplay, NamesTheEntryThatIsMissingOrHasAnotherTypeOrShape) {
  State state;
  StateRecorder(state, "policy/").tensor("w", Shape{2}, std::vector<double>{1.0, 2.0});
  const StateReplay replay(state, "policy/", "x.h5");
  std::vector<double> two(2);
  std::vector<double> three(3);
  std::vector<float> single(2);

  replay.tensor("w", Shape{2}, std::span<double>(two));

  EXPECT_EQ(two, (std::vector<double>{1.0, 2.0}));
  EXPECT_TRUE(replay.has("w"));
  EXPECT_FALSE(replay.has("policy/w"));
  EXPECT_EQ(
      error_of<CheckpointError>([&] { replay.tensor("v", Shape{2}, std::span<double>(two)); }),
      "x.h5: no entry 'policy/v'; expected a checkpoint of the same policy and version");
  EXPECT_EQ(
      error_of<CheckpointError>([&] { replay.tensor("w", Shape{2}, std::span<float>(single)); }),
      "x.h5: entry 'policy/w' is float64; expected float32");
  EXPECT_EQ(
      error_of<CheckpointError>([&] { replay.tensor("w", Shape{3}, std::span<double>(three)); }),
      "x.h5: entry 'policy/w' has shape [2]; expected [3]; were the policy's options the same?");
}

}  // namespace
}  // namespace berth::checkpoints

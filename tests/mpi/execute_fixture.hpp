// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "train_process.hpp"

namespace berth::testing {

/// A folder with a mix of two jobs of the line plugin on three nodes of speeds 3 : 2 : 1, and runs.
class ExecuteFixture : public RunFolder {
 public:
  ExecuteFixture();

  /// Words of `berth schedule mix.toml --execute --out <run> ...`, under mpirun if ranks > 0.
  [[nodiscard]] std::vector<std::string> words(int ranks,
                                               const std::string& run,
                                               const std::vector<std::string>& more = {}) const;
  [[nodiscard]] Finished execute(int ranks,
                                 const std::string& run,
                                 const std::vector<std::string>& more = {}) const;

  /// The lines of rounds.jsonl of a run.
  [[nodiscard]] std::vector<nlohmann::json> rounds(const std::string& run) const;
};

/// Job "long" of 600 steps and "short" of 300, slots of 60 steps of the fastest node.
inline constexpr const char* kStepMix = R"(slot_steps = 60
seed = 3
nodes = [
  { name = "fast", gflops = 3 },
  { name = "middle", gflops = 2 },
  { name = "slow", gflops = 1 },
]

[[jobs]]
name = "long"
model = "line"
steps = 600

[[jobs]]
name = "short"
model = "line"
steps = 300
rate = 0.1
)";

}  // namespace berth::testing

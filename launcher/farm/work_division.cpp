// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "work_division.hpp"

#include "berth/rng.hpp"

namespace berth::launcher {

RolloutSpec WorkDivision::spec(std::uint64_t run_seed,
                               std::uint64_t update,
                               std::uint64_t number,
                               Stage stage,
                               double progress) const noexcept {
  constexpr std::uint64_t kPurpose = 0x726f6c6c6f7574;  // "rollout"
  const std::uint64_t id = update * rollouts + number;
  RolloutSpec spec;
  spec.id = to_id<RolloutId>(id);
  spec.seed = Rng(run_seed, {update, id, kPurpose}).next();
  spec.problem = problem_of(update, number / group_size);
  spec.stage = stage;
  spec.progress = progress;
  return spec;
}

}  // namespace berth::launcher

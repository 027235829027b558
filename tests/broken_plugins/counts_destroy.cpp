// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Says through its logger when it is made and when it is destroyed.

#include "function_policy.hpp"

namespace {

class Witness final : public berth::PlacementPolicy {
 public:
  explicit Witness(berth::Logger& logger) : logger_(&logger) { logger_->info("made"); }
  ~Witness() override { logger_->info("destroyed"); }

  berth::Placement place(const berth::PlacementProblem& problem,
                         berth::Evaluator& /*evaluator*/,
                         berth::Rng& /*rng*/) override {
    return berth::broken::all_on_first(problem);
  }

 private:
  berth::Logger* logger_;
};

std::unique_ptr<berth::PlacementPolicy> make(const berth::HostServices& host) {
  return std::make_unique<Witness>(*host.logger);
}

}  // namespace

BERTH_PLUGIN("counts-destroy",
             "1.0",
             berth::offer<berth::PlacementPolicy, make>("counts-destroy", "Says when.", {}))

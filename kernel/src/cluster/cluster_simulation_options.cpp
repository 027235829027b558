// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/cluster_simulator.hpp"

namespace berth {
inline namespace abi_v1 {

ClusterSimulationOptions ClusterSimulationOptions::gavel() {
  ClusterSimulationOptions options;
  options.round_end = RoundEnd::kLatestFinish;
  options.execute_from = ExecuteFrom::kPreviousRoundEnd;
  options.utilisation_from = UtilisationFrom::kTimeZero;
  options.min_steps_per_worker = 1;
  options.idle_jumps_to_arrival = true;
  options.gangs = {MixRule::kOff, /*measured_spread=*/false, /*restart_seconds=*/0.0};
  return options;
}

}  // namespace abi_v1
}  // namespace berth

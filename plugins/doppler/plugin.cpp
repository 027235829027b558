// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include <memory>

#include "doppler_policy.hpp"
#include "option_table.hpp"

namespace berth::doppler {
namespace {

std::unique_ptr<TrainablePolicy> make_trainable(const HostServices& host) {
  return std::make_unique<DopplerPolicy>(parse_settings(*host.config), host.seed);
}

std::unique_ptr<PlacementPolicy> make_placement(const HostServices& host) {
  return make_trainable(host);
}

}  // namespace
}  // namespace berth::doppler

BERTH_PLUGIN("doppler",
             "0.2",
             berth::offer<berth::TrainablePolicy, berth::doppler::make_trainable>(
                 "doppler",
                 "DOPPLER: two learned policies, SEL picks the op and PLC its device.",
                 berth::doppler::kOptions),
             berth::offer<berth::PlacementPolicy, berth::doppler::make_placement>(
                 "doppler",
                 "DOPPLER as a placement algorithm, with the weights of a checkpoint.",
                 berth::doppler::kOptions))

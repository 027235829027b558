// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include <memory>

#include "learned_options.hpp"
#include "learned_policy.hpp"

namespace berth::learned {
namespace {

std::unique_ptr<TrainablePolicy> train_placeto(const HostServices& host) {
  PlacetoSizes sizes;
  const LearnedSettings settings = parse_placeto(*host.config, sizes);
  return std::make_unique<LearnedPolicy>(settings, make_placeto_net(sizes), host.seed);
}

std::unique_ptr<TrainablePolicy> train_gdp(const HostServices& host) {
  GdpSizes sizes;
  const LearnedSettings settings = parse_gdp(*host.config, sizes);
  return std::make_unique<LearnedPolicy>(settings, make_gdp_net(sizes), host.seed);
}

std::unique_ptr<PlacementPolicy> place_placeto(const HostServices& host) {
  return train_placeto(host);
}

std::unique_ptr<PlacementPolicy> place_gdp(const HostServices& host) {
  return train_gdp(host);
}

}  // namespace
}  // namespace berth::learned

using berth::offer;
using berth::PlacementPolicy;
using berth::TrainablePolicy;
namespace learned = berth::learned;

BERTH_PLUGIN("learned",
             "0.1",
             offer<TrainablePolicy, learned::train_placeto>(
                 "placeto",
                 "Placeto: one network, one op after the other (Addanki et al. 2019).",
                 learned::kPlacetoOptions),
             offer<PlacementPolicy, learned::place_placeto>(
                 "placeto",
                 "Placeto as a placement algorithm, with the weights of a checkpoint.",
                 learned::kPlacetoOptions),
             offer<TrainablePolicy, learned::train_gdp>(
                 "gdp",
                 "GDP: all ops at once by GraphSAGE and attention (Zhou et al. 2019).",
                 learned::kGdpOptions),
             offer<PlacementPolicy, learned::place_gdp>(
                 "gdp",
                 "GDP as a placement algorithm, with the weights of a checkpoint.",
                 learned::kGdpOptions))

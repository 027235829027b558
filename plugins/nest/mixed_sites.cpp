// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "mixed_sites.hpp"

#include <algorithm>

namespace berth::nest {
namespace {

constexpr std::uint8_t kUnknown = 255;

}  // namespace

MixedSites::MixedSites(const MixedTask& task) : task_(task) {
  const NetworkLevels& network = task.problem->network;
  const std::size_t devices = network.num_devices();
  if (devices > kMostUnits) {
    const std::size_t node = std::min(network.largest_unit(0), devices);
    unit_ = node * ((devices + node * kMostUnits - 1) / (node * kMostUnits));
  }
  make_choices();
  const std::size_t sites = (devices / unit_ + 1) * choices_.size();
  positions_.resize(sites);
  link_levels_.assign(sites * choices_.size(), kUnknown);
  crossings_.assign(network.num_levels(), std::vector<std::size_t>(devices, 0));
  for (std::size_t l = 0; l < network.num_levels(); ++l) {
    for (std::size_t k = 1; k < devices; ++k) {
      const std::size_t level =
          network.level_between(task.order->devices[k - 1], task.order->devices[k]);
      crossings_[l][k] = crossings_[l][k - 1] + (level >= l ? 1 : 0);
    }
  }
}

void MixedSites::make_choices() {
  const std::size_t devices = task_.problem->network.num_devices();
  for (std::size_t index = 0; index < task_.configurations.size(); ++index) {
    const StrategyConfiguration& c = task_.problem->configurations[task_.configurations[index]];
    const std::size_t most = std::min<std::size_t>(c.micro_batches, devices / c.block());
    for (std::size_t d = 1; d <= most; ++d) {
      if (d * c.block() % unit_ == 0) {
        choices_.push_back(
            {index, d, d * c.block(), static_cast<double>((c.micro_batches + d - 1) / d)});
      }
    }
  }
}

const Position& MixedSites::at(std::size_t used, std::size_t choice) {
  std::optional<Position>& position = positions_[used / unit_ * choices_.size() + choice];
  if (!position) {
    const MixedChoice& c = choices_[choice];
    const StrategyConfiguration& configuration =
        task_.problem->configurations[task_.configurations[c.index]];
    std::vector<std::size_t> firsts;
    for (std::size_t r = 0; r < c.data; ++r) {
      firsts.push_back(used + r * configuration.block());
    }
    position = make_site(*task_.problem, configuration, *task_.collectives, *task_.order, firsts);
  }
  return *position;
}

AffineCost MixedSites::link(std::size_t used, std::size_t below, std::size_t above) {
  std::uint8_t& level =
      link_levels_[(used / unit_ * choices_.size() + below) * choices_.size() + above];
  if (level == kUnknown) {
    level = static_cast<std::uint8_t>(link_level(used, below, above));
  }
  return task_.collectives->point_to_point(
      level, std::max(choices_[below].devices, choices_[above].devices));
}

std::size_t MixedSites::link_level(std::size_t used, std::size_t below, std::size_t above) const {
  const std::size_t lower = choices_[below].devices;
  const std::size_t upper = choices_[above].devices;
  if (below != above) {  // any device to any other
    return widest_level(used - lower, used + upper);
  }
  std::size_t level = 0;
  for (std::size_t k = used; k < used + upper; ++k) {  // rank k sends to rank k
    level = std::max(level,
                     task_.problem->network.level_between(task_.order->devices[k - lower],
                                                          task_.order->devices[k]));
  }
  return level;
}

std::size_t MixedSites::widest_level(std::size_t begin, std::size_t end) const {
  // Two devices of a run meet no higher than the neighbours between them do.
  for (std::size_t l = crossings_.size(); l-- > 1;) {
    if (crossings_[l][end - 1] > crossings_[l][begin]) {
      return l;
    }
  }
  return 0;
}

std::vector<std::uint32_t> MixedSites::block(std::size_t used,
                                             std::size_t choice,
                                             std::size_t replica) const {
  const MixedChoice& c = choices_[choice];
  const std::size_t size = c.devices / c.data;
  const auto first =
      task_.order->devices.begin() + static_cast<std::ptrdiff_t>(used + replica * size);
  return {first, first + static_cast<std::ptrdiff_t>(size)};
}

}  // namespace berth::nest

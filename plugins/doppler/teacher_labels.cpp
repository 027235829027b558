// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "teacher_labels.hpp"

namespace berth::doppler {

void teacher_picks(const ProblemView& view,
                   std::span<const std::uint32_t> candidates,
                   std::vector<std::uint32_t>& out) {
  out.clear();
  double most = 0.0;
  for (std::uint32_t position = 0; position < candidates.size(); ++position) {
    const double level = view.b_level[candidates[position]];
    if (out.empty() || level > most) {
      most = level;
      out.clear();
    }
    if (level == most) {
      out.push_back(position);
    }
  }
}

void teacher_devices(const DeviceTimeline& timeline, std::vector<std::uint32_t>& out) {
  out.clear();
  double least = 0.0;
  for (std::uint32_t d = 0; d < timeline.legal().size(); ++d) {
    if (timeline.legal()[d] == 0) {
      continue;
    }
    const double finish = timeline.earliest_finish()[d];
    if (out.empty() || finish < least) {
      least = finish;
      out.clear();
    }
    if (finish == least) {
      out.push_back(d);
    }
  }
}

}  // namespace berth::doppler

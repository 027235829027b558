// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "downsets.hpp"

#include <algorithm>
#include <map>

namespace berth::planners {

Downsets enumerate_downsets(const std::vector<std::vector<std::uint32_t>>& before,
                            std::size_t most) {
  using Members = std::vector<bool>;
  const std::size_t items = before.size();
  Downsets sets;
  sets.smaller.emplace_back();
  std::map<Members, std::uint32_t> level = {{Members(items, false), 0}};
  for (std::size_t size = 0; size < items; ++size) {
    std::map<Members, std::uint32_t> next;
    for (const auto& [members, index] : level) {
      for (std::uint32_t item = 0; item < items; ++item) {
        const bool ready =
            !members[item] && std::all_of(before[item].begin(),
                                          before[item].end(),
                                          [&set = members](std::uint32_t b) { return set[b]; });
        if (!ready) {
          continue;
        }
        Members larger = members;
        larger[item] = true;
        const auto [at, fresh] =
            next.emplace(std::move(larger), static_cast<std::uint32_t>(sets.smaller.size()));
        if (fresh) {
          if (sets.smaller.size() == most) {
            return {};
          }
          sets.smaller.emplace_back();
        }
        sets.smaller[at->second].emplace_back(item, index);
      }
    }
    level = std::move(next);
  }
  for (auto& list : sets.smaller) {
    std::sort(list.begin(), list.end());
  }
  return sets;
}

}  // namespace berth::planners

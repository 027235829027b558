// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "distinct_words.hpp"

#include <set>

#include "berth/error.hpp"

namespace berth::launcher {

void check_distinct(std::string_view option, std::span<const std::string> words) {
  std::set<std::string_view> earlier;
  for (const std::string& word : words) {
    if (!earlier.insert(word).second) {
      throw InputError("--" + std::string(option) + ": '" + word +
                       "' is given twice; expected each once");
    }
  }
}

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/export.hpp"
#include "berth/plugin_abi.h"

namespace berth {
inline namespace abi_v1 {

/// The values of a declared set of options, each checked against its berth_option_spec: from them
/// come flags, config keys, range checks, --help and the copy in each checkpoint.
class BERTH_API Config {
 public:
  Config() = default;

  /// All defaults. The specs must outlive the Config.
  explicit Config(std::span<const berth_option_spec> specs, std::string scope = {});

  /// Sets one option from text. @throws InputError naming the scope, the option, the text and the
  /// range or choices; an unknown option names the nearest one.
  void set(std::string_view name, std::string_view text);

  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;

  /// Effective values by name, as text that set() takes back.
  [[nodiscard]] const std::map<std::string, std::string>& values() const noexcept {
    return values_;
  }
  [[nodiscard]] std::span<const berth_option_spec> specs() const noexcept { return specs_; }

 private:
  [[nodiscard]] const berth_option_spec& spec(std::string_view name) const;

  std::span<const berth_option_spec> specs_;
  std::string scope_;
  std::map<std::string, std::string> values_;
};

/// The candidate nearest to `word` by edit distance, or empty if none is near.
[[nodiscard]] BERTH_API std::string nearest_name(std::string_view word,
                                                 std::span<const std::string> candidates);

}  // namespace abi_v1
}  // namespace berth

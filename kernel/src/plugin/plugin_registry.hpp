// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "berth/logger.hpp"
#include "berth/plugin_host.hpp"

namespace berth::internal {

/// An offer and the library it comes from.
struct FoundOffer {
  LoadedPlugin plugin;
  const berth_offer* offer = nullptr;
};

/// The libraries of a search path: loads them once each, lazily, and looks offers up.
class PluginRegistry {
 public:
  PluginRegistry(PluginHost::SearchPath path, Logger& logger);

  /// @throws PluginError if the file is unusable or its plugin's name is taken by another file.
  const LoadedPlugin& load(const std::filesystem::path& file);
  void load_all();

  /// The offer, loading what is needed; none if no plugin has it.
  [[nodiscard]] std::optional<FoundOffer> look_up(std::string_view interface_id,
                                                  std::string_view name);
  /// As PluginHost::find().
  [[nodiscard]] FoundOffer find(std::string_view interface_id, std::string_view name);

  [[nodiscard]] const std::vector<LoadedPlugin>& loaded() const noexcept { return loaded_; }
  [[nodiscard]] const std::vector<RefusedPlugin>& refused() const noexcept { return refused_; }

 private:
  void try_load(const std::filesystem::path& file);
  [[nodiscard]] std::optional<FoundOffer> search(std::string_view interface_id,
                                                 std::string_view name) const;
  [[noreturn]] void refuse_name(std::string_view interface_id, std::string_view name) const;

  PluginHost::SearchPath path_;
  Logger* logger_;
  std::vector<LoadedPlugin> loaded_;
  std::vector<RefusedPlugin> refused_;
};

}  // namespace berth::internal

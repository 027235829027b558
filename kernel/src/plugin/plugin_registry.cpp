// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin_registry.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "berth/error.hpp"

#include "handshake.hpp"
#include "search.hpp"

namespace berth::internal {
namespace {

std::span<const berth_offer> offers_of(const LoadedPlugin& plugin) {
  return {plugin.descriptor->offers, plugin.descriptor->offer_count};
}

/// Whether an object created under `offered` can serve as `wanted`.
bool serves(std::string_view offered, std::string_view wanted) {
  return offered == wanted ||
         (offered == TrainablePolicy::kInterface && wanted == PlacementPolicy::kInterface);
}

std::string join(const std::set<std::string>& words) {
  std::string list;
  for (const std::string& word : words) {
    list += (list.empty() ? "" : ", ") + word;
  }
  return list;
}

}  // namespace

PluginRegistry::PluginRegistry(PluginHost::SearchPath path, Logger& logger)
    : path_(std::move(path)), logger_(&logger) {}

const LoadedPlugin& PluginRegistry::load(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::canonical(file, error);
  if (error) {
    throw PluginError(file.string() + ": no such file; expected a shared library");
  }
  const auto known = std::find_if(
      loaded_.begin(), loaded_.end(), [&](const auto& plugin) { return plugin.path == path; });
  if (known != loaded_.end()) {
    return *known;
  }
  const berth_plugin_descriptor& descriptor = open_plugin(path);
  for (const LoadedPlugin& other : loaded_) {
    if (std::string_view(other.descriptor->name) == descriptor.name) {
      throw PluginError(path.string() + ": a plugin named '" + descriptor.name +
                        "' is already loaded from " + other.path.string() +
                        "; keep one of the two on the search path");
    }
  }
  logger_->debug("plugin loaded", {{"name", descriptor.name}, {"path", path.string()}});
  return loaded_.emplace_back(LoadedPlugin{std::move(path), &descriptor});
}

void PluginRegistry::try_load(const std::filesystem::path& file) {
  const auto refused_before = [&file](const auto& plugin) { return plugin.path == file; };
  if (std::any_of(refused_.begin(), refused_.end(), refused_before)) {
    return;
  }
  try {
    load(file);
  } catch (const PluginError& error) {
    refused_.push_back({file, error.what()});
    logger_->debug("plugin refused", {{"reason", error.what()}});
  }
}

void PluginRegistry::load_all() {
  for (const std::filesystem::path& file : path_.files) {
    try_load(file);
  }
  for (const std::filesystem::path& directory : path_.directories) {
    for (const std::filesystem::path& file : plugin_files(directory)) {
      try_load(file);
    }
  }
}

std::optional<FoundOffer> PluginRegistry::search(std::string_view interface_id,
                                                 std::string_view name) const {
  for (const LoadedPlugin& plugin : loaded_) {
    // Within one plugin an offer under the very interface is meant before one that extends it.
    const berth_offer* extended = nullptr;
    for (const berth_offer& offer : offers_of(plugin)) {
      if (offer.name == name && offer.interface_id == interface_id) {
        return FoundOffer{plugin, &offer};
      }
      if (offer.name == name && serves(offer.interface_id, interface_id)) {
        extended = &offer;
      }
    }
    if (extended != nullptr) {
      return FoundOffer{plugin, extended};
    }
  }
  return std::nullopt;
}

std::optional<FoundOffer> PluginRegistry::look_up(std::string_view interface_id,
                                                  std::string_view name) {
  for (const std::filesystem::path& file : path_.files) {
    load(file);
  }
  if (auto found = search(interface_id, name)) {
    return found;
  }
  for (const std::filesystem::path& file : plugin_files_for(path_.directories, name)) {
    try_load(file);
    if (auto found = search(interface_id, name)) {
      return found;
    }
  }
  return std::nullopt;
}

FoundOffer PluginRegistry::find(std::string_view interface_id, std::string_view name) {
  if (const auto found = look_up(interface_id, name)) {
    return *found;
  }
  refuse_name(interface_id, name);
}

void PluginRegistry::refuse_name(std::string_view interface_id, std::string_view name) const {
  std::set<std::string> interfaces;
  std::set<std::string> names;
  for (const LoadedPlugin& plugin : loaded_) {
    for (const berth_offer& offer : offers_of(plugin)) {
      if (offer.name == name) {
        interfaces.insert(offer.interface_id);
      }
      if (serves(offer.interface_id, interface_id)) {
        names.insert(offer.name);
      }
    }
  }
  std::string message = "'" + std::string(name) + "' ";
  if (!interfaces.empty()) {
    message +=
        "does not implement " + std::string(interface_id) + "; it offers: " + join(interfaces);
  } else {
    const std::vector<std::string> sorted(names.begin(), names.end());
    const std::string near = nearest_name(name, sorted);
    message += "is offered by no plugin under " + std::string(interface_id);
    message += near.empty() ? "" : "; did you mean '" + near + "'?";
    message += names.empty() ? "; no plugin offers any" : "; there are: " + join(names);
  }
  for (const RefusedPlugin& plugin : refused_) {
    message += "; refused " + plugin.reason;
  }
  throw PluginError(message);
}

}  // namespace berth::internal

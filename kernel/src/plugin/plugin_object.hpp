// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/host_services.hpp"
#include "berth/logger.hpp"
#include "berth/plugin_host.hpp"

namespace berth::internal {

/// How a plugin is called in messages: "plugin 'baselines' (/path/berth_baselines.so)".
[[nodiscard]] std::string identity(const LoadedPlugin& plugin);

/// Calls into a plugin. Whatever it throws is caught at once and leaves as an Error that the host
/// owns, of the same category: "<who>: <operation> failed: <text>".
template <class Call>
auto guarded(const std::string& who, const char* operation, Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const Error& error) {
    rethrow_with_context(error, who + ": " + operation + " failed");
  } catch (const std::exception& error) {
    throw PluginError(who + ": " + operation + " failed: " + error.what());
  } catch (...) {
    throw PluginError(who + ": " + operation +
                      " failed: threw an object that is no std::exception");
  }
}

/// Puts the plugin's name in front of what it logs.
class PluginLogger final : public Logger {
 public:
  PluginLogger(Logger& sink, const std::string& name) : sink_(&sink), prefix_("[" + name + "] ") {}
  void write(LogLevel level, std::string_view line) override;
  [[nodiscard]] LogLevel level() const override { return sink_->level(); }

 private:
  Logger* sink_;
  std::string prefix_;
};

/// An object made by a plugin, and what it may use as long as it lives. Created and destroyed on
/// the plugin's side.
class PluginObject {
 public:
  /// @param config options of the offer that differ from their defaults; others are added.
  /// @throws Error of the category that create() reported; PluginError if it gave no object;
  ///         InputError if `config` holds an option that the offer has not.
  PluginObject(const LoadedPlugin& plugin,
               const berth_offer& offer,
               const Config& config,
               std::uint64_t seed,
               Logger& logger);
  ~PluginObject();
  PluginObject(const PluginObject&) = delete;
  PluginObject& operator=(const PluginObject&) = delete;

  /// The object as the interface class it was created under.
  template <class Interface>
  [[nodiscard]] Interface& as() const {
    return *static_cast<Interface*>(object_);
  }
  [[nodiscard]] const std::string& who() const noexcept { return who_; }

 private:
  std::string who_;
  const berth_plugin_descriptor* descriptor_;
  const char* interface_id_;
  PluginLogger logger_;
  Config config_;
  HostServices services_;
  void* object_ = nullptr;
};

}  // namespace berth::internal

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What a plugin author includes: the descriptor, written by one macro.
//
//   std::unique_ptr<berth::PlacementPolicy> make_mine(const berth::HostServices& host);
//   constexpr berth_option_spec kOptions[] = {...};
//   BERTH_PLUGIN("mine", "1.0",
//                berth::offer<berth::PlacementPolicy, make_mine>("mine", "One line.", kOptions))

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string_view>

#include "berth/cluster_scheduler.hpp"
#include "berth/device_executor.hpp"
#include "berth/error.hpp"
#include "berth/graph_partitioner.hpp"
#include "berth/host_services.hpp"
#include "berth/layout_hash.hpp"
#include "berth/operator_scheduler.hpp"
#include "berth/placement_policy.hpp"
#include "berth/plugin_abi.h"
#include "berth/rank_executor.hpp"
#include "berth/strategy_planner.hpp"
#include "berth/trainable_policy.hpp"
#include "berth/training_job.hpp"

namespace berth {
inline namespace abi_v1 {

/// An offer and the functions behind it; lives in the plugin.
struct PluginOffer {
  berth_offer shown;
  void* (*create)(const HostServices& host);
  void (*destroy)(void* object);
};

/// One algorithm of interface `Interface`, made by the function `Make`.
template <class Interface, auto Make>
[[nodiscard]] constexpr PluginOffer offer(const char* name,
                                          const char* summary,
                                          std::span<const berth_option_spec> options) {
  return {{Interface::kInterface.data(),
           name,
           summary,
           options.data(),
           static_cast<std::uint32_t>(options.size())},
          [](const HostServices& host) -> void* {
            std::unique_ptr<Interface> object = Make(host);
            return object.release();
          },
          [](void* object) { delete static_cast<Interface*>(object); }};
}

namespace detail {

inline void fill_status(berth_status* status, ExitCode code, const char* text) noexcept {
  status->code = static_cast<std::int32_t>(code);
  std::snprintf(status->message, sizeof status->message, "%s", text);
}

/// create() of a plugin: finds the offer and keeps every exception on the plugin's side.
inline std::int32_t create_offer(std::span<const PluginOffer> offers,
                                 const char* interface_id,
                                 const char* name,
                                 const void* host,
                                 void** object,
                                 berth_status* status) noexcept {
  *object = nullptr;
  try {
    for (const PluginOffer& candidate : offers) {
      if (std::string_view(candidate.shown.interface_id) == interface_id &&
          std::string_view(candidate.shown.name) == name) {
        *object = candidate.create(*static_cast<const HostServices*>(host));
        return 0;
      }
    }
    fill_status(status, ExitCode::kPlugin, "no such offer");
  } catch (const Error& error) {
    fill_status(status, error.code(), error.what());
  } catch (const std::exception& error) {
    fill_status(status, ExitCode::kPlugin, error.what());
  } catch (...) {
    fill_status(status, ExitCode::kPlugin, "threw an object that is no std::exception");
  }
  return status->code;
}

inline void destroy_offer(std::span<const PluginOffer> offers,
                          const char* interface_id,
                          void* object) noexcept {
  for (const PluginOffer& candidate : offers) {
    if (std::string_view(candidate.shown.interface_id) == interface_id) {
      candidate.destroy(object);
      return;
    }
  }
}

}  // namespace detail
}  // namespace abi_v1
}  // namespace berth

/// Defines the exported descriptor of a plugin. Arguments: name, version, one or more
/// berth::offer<Interface, make_function>(name, summary, options).
#define BERTH_PLUGIN(plugin_name, plugin_version, ...)                      \
  namespace {                                                               \
  constexpr ::berth::PluginOffer kBerthOffers[] = {__VA_ARGS__};            \
  constexpr auto kBerthShown = [] {                                         \
    struct {                                                                \
      berth_offer rows[std::size(kBerthOffers)];                            \
    } shown{};                                                              \
    for (std::size_t i = 0; i < std::size(kBerthOffers); ++i) {             \
      shown.rows[i] = kBerthOffers[i].shown;                                \
    }                                                                       \
    return shown;                                                           \
  }();                                                                      \
  }                                                                         \
  extern "C" BERTH_API const berth_plugin_descriptor berth_plugin;          \
  const berth_plugin_descriptor berth_plugin = {                            \
      BERTH_PLUGIN_MAGIC,                                                   \
      sizeof(berth_plugin_descriptor),                                      \
      BERTH_ABI_MAJOR,                                                      \
      BERTH_ABI_MINOR,                                                      \
      ::berth::layout_hash(),                                               \
      ::berth::toolchain(),                                                 \
      plugin_name,                                                          \
      plugin_version,                                                       \
      kBerthShown.rows,                                                     \
      static_cast<std::uint32_t>(std::size(kBerthOffers)),                  \
      [](const char* interface_id,                                          \
         const char* name,                                                  \
         const void* host,                                                  \
         void** object,                                                     \
         berth_status* status) noexcept -> std::int32_t {                   \
        return ::berth::detail::create_offer(                               \
            kBerthOffers, interface_id, name, host, object, status);        \
      },                                                                    \
      [](const char* interface_id, void* object) noexcept {                 \
        ::berth::detail::destroy_offer(kBerthOffers, interface_id, object); \
      }};

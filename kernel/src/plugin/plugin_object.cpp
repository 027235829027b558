// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin_object.hpp"

#include <span>

namespace berth::internal {
namespace {

[[noreturn]] void throw_status(const std::string& who, berth_status& status) {
  status.message[sizeof status.message - 1] = '\0';
  // An unknown code is the plugin's fault, not a bug of the host.
  auto code = static_cast<ExitCode>(status.code);
  const bool known = code == ExitCode::kRunFailed || code == ExitCode::kBadInput ||
                     code == ExitCode::kSolver || code == ExitCode::kInternal;
  code = known ? code : ExitCode::kPlugin;
  rethrow_with_context(Error(code, status.message), who + ": create failed");
}

std::string list_offers(const berth_plugin_descriptor& descriptor) {
  std::string list;
  for (const berth_offer& offer : std::span(descriptor.offers, descriptor.offer_count)) {
    list += (list.empty() ? "" : ", ") + std::string(offer.interface_id) + " '" + offer.name + "'";
  }
  return list;
}

Config effective(const berth_offer& offer, const Config& given) {
  Config config(std::span(offer.options, offer.option_count), offer.name);
  for (const auto& [name, text] : given.values()) {
    config.set(name, text);
  }
  return config;
}

}  // namespace

std::string identity(const LoadedPlugin& plugin) {
  return "plugin '" + std::string(plugin.descriptor->name) + "' (" + plugin.path.string() + ")";
}

void PluginLogger::write(LogLevel level, std::string_view line) {
  sink_->write(level, prefix_ + std::string(line));
}

PluginObject::PluginObject(const LoadedPlugin& plugin,
                           const berth_offer& offer,
                           const Config& config,
                           std::uint64_t seed,
                           Logger& logger)
    : who_(identity(plugin)),
      descriptor_(plugin.descriptor),
      interface_id_(offer.interface_id),
      logger_(logger, plugin.descriptor->name),
      config_(effective(offer, config)),
      services_{&logger_, seed, &config_} {
  berth_status status{};
  const std::int32_t code = guarded(who_, "create", [&] {
    return descriptor_->create(interface_id_, offer.name, &services_, &object_, &status);
  });
  if (code != 0) {
    throw_status(who_, status);
  }
  if (object_ == nullptr) {
    throw PluginError(who_ + ": create gave no object: it does not implement " +
                      std::string(interface_id_) + " '" + offer.name +
                      "'; it offers: " + list_offers(*descriptor_));
  }
}

PluginObject::~PluginObject() {
  try {
    descriptor_->destroy(interface_id_, object_);
  } catch (...) {
    logger_.error("destroy() threw; a plugin must not", {});
  }
}

}  // namespace berth::internal

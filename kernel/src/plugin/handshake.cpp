// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "handshake.hpp"

#include <dlfcn.h>

#include <span>
#include <string>
#include <string_view>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/layout_hash.hpp"
#include "berth/version.hpp"

#include "elf_symbols.hpp"

namespace berth::internal {
namespace {

constexpr const char* kSymbol = "berth_plugin";

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& reason) {
  throw PluginError(file.string() + ": " + reason);
}

std::string rebuild() {
  return "; rebuild it against berth " + std::string(kVersion);
}

/// The text of the last dlopen failure, without the path that the message starts with anyway.
std::string linker_error(const std::filesystem::path& file) {
  const char* raw = dlerror();
  std::string text = raw == nullptr ? "unknown error of the dynamic linker" : raw;
  const std::string prefix = file.string() + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

void check_abi(const std::filesystem::path& file, const berth_plugin_descriptor& descriptor) {
  if (descriptor.magic != BERTH_PLUGIN_MAGIC) {
    refuse(file, "not a berth plugin (symbol 'berth_plugin' has another magic number)");
  }
  const std::string host = std::to_string(BERTH_ABI_MAJOR) + "." + std::to_string(BERTH_ABI_MINOR);
  const std::string built_for =
      std::to_string(descriptor.abi_major) + "." + std::to_string(descriptor.abi_minor);
  if (descriptor.abi_major != BERTH_ABI_MAJOR || descriptor.abi_minor > BERTH_ABI_MINOR) {
    refuse(file,
           "was built for plugin ABI " + built_for + "; this host speaks " + host + rebuild());
  }
  if (descriptor.struct_size < sizeof(berth_plugin_descriptor)) {
    refuse(file,
           "its descriptor has " + std::to_string(descriptor.struct_size) + " bytes; ABI " +
               built_for + " has " + std::to_string(sizeof(berth_plugin_descriptor)) + rebuild());
  }
}

void check_types(const std::filesystem::path& file, const berth_plugin_descriptor& descriptor) {
  const std::string_view built_by = descriptor.toolchain == nullptr ? "" : descriptor.toolchain;
  if (built_by != toolchain()) {
    refuse(file,
           "was built by toolchain '" + std::string(built_by) + "'; this host by '" + toolchain() +
               "'" + rebuild());
  }
  if (descriptor.layout_hash != layout_hash()) {
    refuse(file,
           "its types are laid out differently (other berth headers, or flags such as "
           "_GLIBCXX_DEBUG or -fpack-struct)" +
               rebuild() + " with plain flags");
  }
}

bool is_text(const char* text) {
  return text != nullptr && *text != '\0';
}

void check_offer(const std::filesystem::path& file, const berth_offer& offer) {
  if (!is_text(offer.interface_id) || !is_text(offer.name) || offer.summary == nullptr) {
    refuse(file, "an offer has no interface, name or summary; see plugin_abi.h");
  }
  const std::string place = "offer '" + std::string(offer.name) + "'";
  if (offer.option_count > 0 && offer.options == nullptr) {
    refuse(file, place + " has options but no table of them; see plugin_abi.h");
  }
  const std::span options(offer.options, offer.option_count);
  for (const berth_option_spec& option : options) {
    if (!is_text(option.name) || option.default_value == nullptr || option.unit == nullptr ||
        option.choices == nullptr || option.help == nullptr) {
      refuse(file, place + " has an option with an empty field; see plugin_abi.h");
    }
    if (option.type < BERTH_OPTION_INTEGER || option.type > BERTH_OPTION_CHOICE) {
      refuse(file,
             place + ": option '" + option.name + "' has type " + std::to_string(option.type) +
                 "; expected a berth_option_type");
    }
  }
  try {
    [[maybe_unused]] const Config defaults(options, place);
  } catch (const InputError& error) {
    refuse(file, std::string("a default is out of its own range: ") + error.what());
  }
}

void check_offers(const std::filesystem::path& file, const berth_plugin_descriptor& descriptor) {
  if (!is_text(descriptor.name) || !is_text(descriptor.version)) {
    refuse(file, "its descriptor has no name or no version; see plugin_abi.h");
  }
  if (descriptor.create == nullptr || descriptor.destroy == nullptr ||
      descriptor.offers == nullptr || descriptor.offer_count == 0) {
    refuse(file, "its descriptor offers nothing; see plugin_abi.h");
  }
  for (const berth_offer& offer : std::span(descriptor.offers, descriptor.offer_count)) {
    check_offer(file, offer);
  }
}

}  // namespace

void check_descriptor(const std::filesystem::path& file,
                      const berth_plugin_descriptor& descriptor) {
  check_abi(file, descriptor);
  check_types(file, descriptor);
  check_offers(file, descriptor);
}

const berth_plugin_descriptor& open_plugin(const std::filesystem::path& file) {
  if (!exports_symbol(file, kSymbol)) {
    refuse(file, "not a berth plugin (no symbol 'berth_plugin')");
  }
  // Never closed, and RTLD_NODELETE for libraries that were not linked so: vtables, exception
  // types and option tables of the plugin are used until the process ends.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    refuse(file, "cannot be loaded: " + linker_error(file));
  }
  const void* const symbol = dlsym(library, kSymbol);
  if (symbol == nullptr) {
    refuse(file, "not a berth plugin (no symbol 'berth_plugin')");
  }
  const auto& descriptor = *static_cast<const berth_plugin_descriptor*>(symbol);
  check_descriptor(file, descriptor);
  return descriptor;
}

}  // namespace berth::internal

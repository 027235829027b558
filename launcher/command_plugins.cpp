// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <span>
#include <string>

#include "berth/error.hpp"

#include "command_line.hpp"
#include "commands.hpp"
#include "mapped_libraries.hpp"
#include "offer_text.hpp"
#include "plugin_arguments.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

/// Whether the devices of an executor are there, found by opening one for a graph of one op.
struct ExecutorProbe {
  bool is_usable = false;
  std::string text;  ///< What they are, or why they cannot be used.
};

ExecutorProbe probe_executor(PluginHost& host, const std::string& executor) {
  GraphBuilder builder("probe");
  builder.cost_basis(CostBasis::kPhysical);
  OpSpec op;
  op.kernel = "exp s0:1 ; s#0";
  builder.add_op(std::move(op));
  const auto problem = make_problem("probe", builder.freeze(), Topology::uniform(1), {});
  try {
    const Config config = host.options(ExecutorFactory::kInterface, executor);
    return {true, host.device_executor(executor, config, /*seed=*/1, *problem)->description()};
  } catch (const Error& error) {
    return {false, error.what()};
  }
}

/// The row of a plugin; its executors with their devices, or why these cannot be used.
nlohmann::ordered_json row_of(PluginHost& host, const LoadedPlugin& plugin) {
  nlohmann::ordered_json row = to_json(plugin);
  for (nlohmann::ordered_json& offer : row["offers"]) {
    if (offer["interface"] == ExecutorFactory::kInterface) {
      const ExecutorProbe probe = probe_executor(host, offer["name"].get<std::string>());
      offer[probe.is_usable ? "devices" : "not_usable"] = probe.text;
    }
  }
  return row;
}

void print_json(PluginHost& host) {
  for (const LoadedPlugin& plugin : host.loaded()) {
    print_text(row_of(host, plugin).dump() + "\n");
  }
  for (const RefusedPlugin& plugin : host.refused()) {
    const nlohmann::ordered_json row = {{"path", plugin.path.string()}, {"refused", plugin.reason}};
    print_text(row.dump() + "\n");
  }
}

void print_executors(PluginHost& host) {
  for (const LoadedPlugin& plugin : host.loaded()) {
    const berth_plugin_descriptor& descriptor = *plugin.descriptor;
    for (const berth_offer& offer : std::span(descriptor.offers, descriptor.offer_count)) {
      if (offer.interface_id == ExecutorFactory::kInterface) {
        print_text("\nexecutor " + std::string(offer.name) + ": " +
                   probe_executor(host, offer.name).text);
      }
    }
  }
  print_text("\n");
}

void print_tables(PluginHost& host) {
  Table plugins({"plugin", "version", "path"});
  Table offers({"plugin", "name", "interface", "summary"});
  for (const LoadedPlugin& plugin : host.loaded()) {
    const berth_plugin_descriptor& descriptor = *plugin.descriptor;
    plugins.add_row({descriptor.name, descriptor.version, plugin.path.string()});
    for (const berth_offer& offer : std::span(descriptor.offers, descriptor.offer_count)) {
      offers.add_row({descriptor.name, offer.name, offer.interface_id, offer.summary});
    }
  }
  print_text(host.loaded().empty() ? "no plugin found\n" : plugins.text() + "\n" + offers.text());
  print_executors(host);
  for (const RefusedPlugin& plugin : host.refused()) {
    print_text("\nrefused: " + plugin.reason);
  }
  print_text(host.refused().empty() ? "" : "\n");
  for (const std::filesystem::path& library : mapped_numeric_libraries()) {
    print_text("\nin use: " + library.string());
  }
  print_text(mapped_numeric_libraries().empty() ? "" : "\n");
}

}  // namespace

int run_plugins(std::span<const std::string> words) {
  CommandLine line("plugins",
                   "[--plugin FILE] [--plugin-dir DIR] [--json]",
                   "Lists the plugins found, what each offers, and what was refused and why.");
  line.add()("json", "one JSON line per plugin");
  add_plugin_arguments(line.options());
  if (!line.parse(words)) {
    return 0;
  }
  if (!line.positional().empty()) {
    throw InputError("berth plugins: '" + line.positional()[0] +
                     "' is one word too many; to load a file, give --plugin FILE");
  }
  StderrLogger logger(LogLevel::kWarning);
  const PluginHost::SearchPath path = plugin_search_path(line.values());
  PluginHost host(path, logger);
  host.load_all();
  line.has("json") ? print_json(host) : print_tables(host);
  // A file that the user named must load; one that merely lies in a folder may be foreign.
  for (const std::filesystem::path& file : path.files) {
    for (const RefusedPlugin& refused : host.refused()) {
      if (refused.path == file) {
        throw PluginError(refused.reason);
      }
    }
  }
  return 0;
}

}  // namespace berth::launcher

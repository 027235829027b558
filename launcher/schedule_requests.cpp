// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule_requests.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "berth/cluster_scheduler.hpp"
#include "berth/error.hpp"

namespace berth::launcher {
namespace {

bool offers_copies(const berth_offer& offer) {
  return std::ranges::any_of(
      std::span(offer.options, offer.option_count),
      [](const berth_option_spec& option) { return std::string_view(option.name) == "copies"; });
}

std::vector<PolicyRequest> all_schedulers(const CommandLine& line, PluginHost& host) {
  if (line.has("fork")) {
    return parse_policies("hadare,hadare(copies=1)");
  }
  std::string names = "hadar,hadar(preset=ttd),hadar(preset=paper_jct),hadar(preset=paper_ttd)";
  host.load_all();
  for (const LoadedPlugin& plugin : host.loaded()) {
    for (const berth_offer& offer :
         std::span(plugin.descriptor->offers, plugin.descriptor->offer_count)) {
      const std::string name = offer.name;
      if (offer.interface_id == ClusterScheduler::kInterface && name != "hadar" &&
          !offers_copies(offer)) {
        names += "," + name;
      }
    }
  }
  return parse_policies(names);
}

void check(const PolicyRequest& request, const CommandLine& line, PluginHost& host) {
  if (request.name == "all") {
    throw InputError(
        "--scheduler: 'all' in a list of schedulers; expected all by itself, or names "
        "only");
  }
  static_cast<void>(policy_config(host, ClusterScheduler::kInterface, request));
  const bool copies = assigns_copies(host, request.name);
  if (line.has("fork") && !copies) {
    throw InputError("--scheduler: '" + request.text +
                     "' with --fork; expected one that assigns copies, such as hadare");
  }
  if (!line.has("fork") && copies) {
    throw InputError("--scheduler: '" + request.text +
                     "' assigns copies of jobs; expected --fork beside it");
  }
}

}  // namespace

bool assigns_copies(PluginHost& host, const std::string& scheduler) {
  return offers_copies(host.find(ClusterScheduler::kInterface, scheduler));
}

std::vector<PolicyRequest> requested_schedulers(const CommandLine& line, PluginHost& host) {
  if (line.has("fork") && line.values()["scheduler"].defaulted()) {
    return parse_policies("hadare");
  }
  std::vector<PolicyRequest> requests =
      distinct_policies("scheduler", line.text("scheduler"), kSchedulerWords);
  if (requests.size() == 1 && requests.front().text == "all") {
    return all_schedulers(line, host);
  }
  for (const PolicyRequest& request : requests) {
    check(request, line, host);
  }
  return requests;
}

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "topology_json.hpp"

#include <unordered_map>
#include <vector>

#include "berth/error.hpp"
#include "berth/units.hpp"

#include "accelerators.hpp"
#include "json_text.hpp"
#include "json_view.hpp"
#include "numbers.hpp"

namespace berth::datasets {
namespace {

using IdByName = std::unordered_map<std::string, std::size_t>;

/// Reads a quantity such as "12GB/s" and puts its place in front of what the parser complains of.
template <class Value>
Value quantity(const JsonView& view, Value (*parse)(std::string_view), const char* example) {
  if (!view.value().is_string()) {
    view.fail("found " + view.value().dump().substr(0, 40) + "; expected text with a unit (e.g. '" +
              example + "')");
  }
  try {
    return parse(view.text());
  } catch (const Error& error) {
    rethrow_with_context(error, view.place());
  }
}

template <class Function>
auto at_place(const std::string& place, const Function& function) {
  try {
    return function();
  } catch (const Error& error) {
    rethrow_with_context(error, place);
  }
}

OpRate read_op_rate(const JsonView& view) {
  view.require_keys({"name", "peak", "memory_bandwidth", "launch_overhead"});
  OpRate rate;
  rate.name = view.at("name").text();
  rate.peak = quantity(view.at("peak"), parse_rate, "9.3TFLOPS");
  if (const auto found = view.find("memory_bandwidth")) {
    rate.memory_bandwidth = quantity(*found, parse_bandwidth, "732GB/s");
  }
  if (const auto found = view.find("launch_overhead")) {
    rate.launch_overhead = quantity(*found, parse_seconds, "5us");
  }
  return rate;
}

DeviceSpec read_device(const JsonView& view) {
  view.require_keys({"name",
                     "accelerator",
                     "type",
                     "peak",
                     "memory_bandwidth",
                     "memory",
                     "launch_overhead",
                     "op_rates"});
  DeviceSpec device;
  const auto accelerator = view.find("accelerator");
  if (accelerator) {
    device = at_place(accelerator->place(), [&] { return make_device(accelerator->text(), ""); });
  } else if (!view.find("peak")) {
    view.fail("no key 'peak'; expected a rate (e.g. '9.3TFLOPS') or an accelerator");
  }
  if (const auto found = view.find("name")) {
    device.name = found->text();
  }
  if (const auto found = view.find("type")) {
    device.type = found->text();
  }
  if (const auto found = view.find("peak")) {
    device.peak = quantity(*found, parse_rate, "9.3TFLOPS");
  }
  if (const auto found = view.find("memory_bandwidth")) {
    device.memory_bandwidth = quantity(*found, parse_bandwidth, "732GB/s");
  }
  if (const auto found = view.find("memory")) {
    device.memory = quantity(*found, parse_bytes, "16GiB");
  }
  if (const auto found = view.find("launch_overhead")) {
    device.launch_overhead = quantity(*found, parse_seconds, "5us");
  }
  if (const auto found = view.find("op_rates")) {
    for (const JsonView& row : found->items()) {
      device.op_rates.push_back(read_op_rate(row));
    }
  }
  return device;
}

LinkSpec read_link(const JsonView& view) {
  LinkSpec link;
  if (const auto found = view.find("name")) {
    link.name = found->text();
  }
  link.bandwidth = quantity(view.at("bandwidth"), parse_bandwidth, "12GB/s");
  if (const auto found = view.find("latency")) {
    link.latency = quantity(*found, parse_seconds, "7us");
  }
  return link;
}

/// An id by name or by position.
std::size_t resolve(const JsonView& view,
                    const IdByName& ids,
                    std::size_t count,
                    const char* what) {
  if (view.value().is_string()) {
    const auto found = ids.find(view.text());
    if (found == ids.end()) {
      view.fail("no " + std::string(what) + " is called " + shown(view.text()));
    }
    return found->second;
  }
  const std::uint64_t id = view.count();
  if (id >= count) {
    view.fail("no " + std::string(what) + " " + std::to_string(id) + "; there are " +
              std::to_string(count));
  }
  return id;
}

void read_routes(const JsonView& root,
                 TopologyBuilder& builder,
                 const IdByName& devices,
                 const IdByName& links,
                 std::size_t num_devices,
                 std::size_t num_links,
                 std::vector<bool>& routed) {
  const auto routes = root.find("routes");
  if (!routes) {
    return;
  }
  for (const JsonView& view : routes->items()) {
    view.require_keys({"from", "to", "links"});
    const std::size_t from = resolve(view.at("from"), devices, num_devices, "device");
    const std::size_t to = resolve(view.at("to"), devices, num_devices, "device");
    std::vector<LinkId> path;
    for (const JsonView& link : view.at("links").items()) {
      path.push_back(to_id<LinkId>(resolve(link, links, num_links, "link")));
    }
    at_place(view.place(),
             [&] { builder.route(to_id<DeviceId>(from), to_id<DeviceId>(to), std::move(path)); });
    if (routed[from * num_devices + to]) {
      view.fail("a second route for this pair; expected one");
    }
    routed[from * num_devices + to] = true;
  }
}

/// Gives each pair without a route a link of its own.
void fill_pairs(const JsonView& view,
                TopologyBuilder& builder,
                std::size_t num_devices,
                const std::vector<bool>& routed) {
  view.require_keys({"bandwidth", "latency"});
  const LinkSpec spec = read_link(view);
  for (std::size_t a = 0; a < num_devices; ++a) {
    for (std::size_t b = 0; b < num_devices; ++b) {
      if (a != b && !routed[a * num_devices + b]) {
        LinkSpec link = spec;
        link.name = "pair " + std::to_string(a) + "->" + std::to_string(b);
        const LinkId id = at_place(view.place(), [&] { return builder.add_link(std::move(link)); });
        builder.route(to_id<DeviceId>(a), to_id<DeviceId>(b), {id});
      }
    }
  }
}

std::string quantity_text(double value, const char* unit) {
  return "\"" + number_text(value) + unit + "\"";
}

void append_op_rates(std::string& out, const DeviceSpec& device) {
  for (std::size_t i = 0; i < device.op_rates.size(); ++i) {
    const OpRate& rate = device.op_rates[i];
    out += i == 0 ? ",\"op_rates\":[\n {\"name\":" : ",\n {\"name\":";
    append_json_string(out, rate.name);
    out += ",\"peak\":" + quantity_text(rate.peak.value, "FLOPS") +
           ",\"memory_bandwidth\":" + quantity_text(rate.memory_bandwidth.value, "B/s") +
           ",\"launch_overhead\":" + quantity_text(rate.launch_overhead.value, "s") + "}";
  }
  out += device.op_rates.empty() ? "" : "]";
}

}  // namespace

Topology read_topology_json(const SourceText& source) {
  const nlohmann::json document = parse_json(source);
  const JsonView root(document, source.place);
  require_format(root, "berth.topology", kBerthTopologyVersion);
  root.require_keys({"format", "version", "name", "devices", "links", "routes", "all_pairs"});
  const auto name = root.find("name");
  TopologyBuilder builder(name ? name->text() : source.stem());
  IdByName devices;
  for (const JsonView& view : root.at("devices").items()) {
    const DeviceSpec device = read_device(view);
    devices.emplace(device.name.empty() ? "device" + std::to_string(devices.size()) : device.name,
                    devices.size());
    at_place(view.place(), [&] { builder.add_device(device); });
  }
  if (devices.size() > kMaxDevices) {
    root.at("devices").fail(std::to_string(devices.size()) + " devices; expected at most 4096");
  }
  IdByName links;
  std::size_t num_links = 0;
  if (const auto list = root.find("links")) {
    for (const JsonView& view : list->items()) {
      view.require_keys({"name", "bandwidth", "latency"});
      const LinkSpec link = read_link(view);
      if (!links
               .emplace(link.name.empty() ? "link" + std::to_string(num_links) : link.name,
                        num_links)
               .second) {
        view.fail("a second link is called " + shown(link.name) + "; expected unique names");
      }
      at_place(view.place(), [&] { builder.add_link(link); });
      ++num_links;
    }
  }
  std::vector<bool> routed(devices.size() * devices.size(), false);
  read_routes(root, builder, devices, links, devices.size(), num_links, routed);
  if (const auto pairs = root.find("all_pairs")) {
    fill_pairs(*pairs, builder, devices.size(), routed);
  }
  return at_place(source.place, [&] { return builder.freeze(); });
}

std::string write_topology_json(const Topology& topology) {
  std::string out =
      "{\"format\":\"berth.topology\",\"version\":" + std::to_string(kBerthTopologyVersion) +
      ",\"name\":";
  append_json_string(out, topology.name());
  out += ",\n\"devices\":[";
  for (std::size_t d = 0; d < topology.num_devices(); ++d) {
    const DeviceSpec& device = topology.device(to_id<DeviceId>(d));
    out += d == 0 ? "\n{\"name\":" : ",\n{\"name\":";
    append_json_string(out, device.name);
    out += ",\"type\":";
    append_json_string(out, device.type);
    out += ",\"peak\":" + quantity_text(device.peak.value, "FLOPS") +
           ",\"memory_bandwidth\":" + quantity_text(device.memory_bandwidth.value, "B/s") +
           ",\"memory\":" + quantity_text(device.memory.value, "B") +
           ",\"launch_overhead\":" + quantity_text(device.launch_overhead.value, "s");
    append_op_rates(out, device);
    out += "}";
  }
  out += "],\n\"links\":[";
  for (std::size_t l = 0; l < topology.num_links(); ++l) {
    const LinkSpec& link = topology.link(to_id<LinkId>(l));
    out += l == 0 ? "\n{\"name\":" : ",\n{\"name\":";
    append_json_string(out, link.name);
    out += ",\"bandwidth\":" + quantity_text(link.bandwidth.value, "B/s") +
           ",\"latency\":" + quantity_text(link.latency.value, "s") + "}";
  }
  out += "],\n\"routes\":[";
  const char* separator = "\n";
  for (std::size_t a = 0; a < topology.num_devices(); ++a) {
    for (std::size_t b = 0; b < topology.num_devices(); ++b) {
      if (a == b) {
        continue;
      }
      out += separator + std::string("{\"from\":") + std::to_string(a) +
             ",\"to\":" + std::to_string(b) + ",\"links\":[";
      separator = ",\n";
      const auto route = topology.route(to_id<DeviceId>(a), to_id<DeviceId>(b));
      for (std::size_t i = 0; i < route.size(); ++i) {
        out += (i == 0 ? "" : ",") + std::to_string(index(route[i]));
      }
      out += "]}";
    }
  }
  return out + "]}\n";
}

}  // namespace berth::datasets

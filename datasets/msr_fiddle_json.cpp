// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "msr_fiddle_json.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "berth/error.hpp"

#include "json_view.hpp"
#include "numbers.hpp"
#include "reader_support.hpp"

namespace berth::datasets {
namespace {

template <class Function>
void at_place(const JsonView& view, const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    rethrow_with_context(error, view.place());
  }
}

double amount(const JsonView& view) {
  const double value = view.number();
  if (!(value >= 0.0)) {
    view.fail("expected a number >= 0");
  }
  return value;
}

OpSpec read_node(const JsonView& view, std::size_t accelerators, std::size_t cpus) {
  OpSpec op;
  if (const auto name = view.find("name")) {
    op.name = name->text();
  }
  const double cpu = amount(view.at("cpuLatency"));
  const double accelerated = view.at("supportedOnFpga").flag()
                                 ? amount(view.at("fpgaLatency"))
                                 : std::numeric_limits<double>::infinity();
  op.device_time.assign(accelerators, accelerated);
  op.device_time.insert(op.device_time.end(), cpus, cpu);
  const double least = *std::min_element(op.device_time.begin(), op.device_time.end());
  op.work = least < std::numeric_limits<double>::infinity() ? least : 0.0;
  if (const auto size = view.find("size")) {
    op.memory_bytes = amount(*size);
  }
  const auto backward = view.find("isBackwardNode");
  op.kind = backward && backward->flag() ? "backward" : "forward";
  return op;
}

}  // namespace

Graph read_msr_fiddle(const SourceText& source, Logger& logger) {
  const nlohmann::json document = parse_json(source);
  const JsonView root(document, source.place);
  const std::uint64_t accelerators = root.at("maxFPGAs").count();
  const std::uint64_t cpus = root.at("maxCPUs").count();
  if (accelerators > kMaxDevices || cpus > kMaxDevices || accelerators + cpus == 0) {
    root.fail(std::to_string(accelerators) + " accelerators and " + std::to_string(cpus) +
              " CPUs; expected 1 to 4096 devices");
  }
  GraphBuilder builder(source.stem());
  NameTally names;
  std::unordered_map<std::uint64_t, std::uint64_t> op_of;
  for (const JsonView& view : root.at("nodes").items()) {
    OpSpec op = read_node(view, accelerators, cpus);
    const std::uint64_t id = view.at("id").count();
    if (!op_of.emplace(id, builder.num_ops()).second) {
      view.at("id").fail("id " + std::to_string(id) + " stands twice; ids must be unique");
    }
    names.add(op.name);
    at_place(view, [&] { builder.add_op(std::move(op)); });
  }
  for (const JsonView& view : root.at("edges").items()) {
    const auto resolve = [&](const char* key) {
      const JsonView end = view.at(key);
      const auto found = op_of.find(end.count());
      if (found == op_of.end()) {
        end.fail("no node has id " + std::to_string(end.count()));
      }
      return to_id<OpId>(found->second);
    };
    const OpId from = resolve("sourceId");
    const OpId to = resolve("destId");
    const double cost = amount(view.at("cost"));
    at_place(view, [&] { builder.add_edge(from, to, cost); });
  }
  names.warn(source, logger);
  return freeze(builder, source, logger);
}

}  // namespace berth::datasets

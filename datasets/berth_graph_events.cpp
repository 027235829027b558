// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth_graph_events.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/op_kernel.hpp"

#include "berth_graph_json.hpp"
#include "json_text.hpp"
#include "numbers.hpp"

namespace berth::datasets {
namespace {

const std::vector<std::string>& root_keys() {
  static const std::vector<std::string> kKeys = {
      "format", "version", "name", "costs", "seconds_per_unit", "ops", "edges"};
  return kKeys;
}
const std::vector<std::string>& op_keys() {
  static const std::vector<std::string> kKeys = {"id",
                                                 "name",
                                                 "kind",
                                                 "kernel",
                                                 "time_units",
                                                 "flops",
                                                 "output_bytes",
                                                 "touched_bytes",
                                                 "memory_bytes",
                                                 "device_time_units",
                                                 "device_seconds",
                                                 "eligible_devices"};
  return kKeys;
}
const std::vector<std::string>& edge_keys() {
  static const std::vector<std::string> kKeys = {"from", "to", "time_units", "size_bytes"};
  return kKeys;
}

}  // namespace

BerthGraphEvents::BerthGraphEvents(const SourceText& source) : source_(source) {}

std::string BerthGraphEvents::place() const {
  const std::string op = source_.place + ":/ops/" + std::to_string(builder_.num_ops());
  switch (where_) {
    case Where::kStart:
      return source_.place;
    case Where::kRoot:
      return source_.place + ":/" + key_;
    case Where::kOps:
      return op;
    case Where::kOp:
    case Where::kTimes:
    case Where::kEligible:
      return op + (key_.empty() ? "" : "/" + key_);
    case Where::kEdges:
      return source_.place + ":/edges/" + std::to_string(next_edge_);
    case Where::kEdge:
      return source_.place + ":/edges/" + std::to_string(next_edge_) +
             (key_.empty() ? "" : "/" + key_);
  }
  return source_.place;
}

void BerthGraphEvents::fail(const std::string& what) const {
  throw InputError(place() + ": " + what);
}

std::uint64_t BerthGraphEvents::to_index(double value) const {
  if (!(value >= 0.0) || value != std::trunc(value) || value > 4294967295.0) {
    fail(number_text(value) + " is not an id; expected an integer from 0");
  }
  return static_cast<std::uint64_t>(value);
}

void BerthGraphEvents::note_basis(CostBasis basis) {
  std::string& first = basis == CostBasis::kTime ? time_place_ : physical_place_;
  if (first.empty()) {
    first = place();
  }
}

bool BerthGraphEvents::null() {
  if (where_ != Where::kTimes) {
    fail("found null; expected a value (null stands only for a device that cannot run an op)");
  }
  op_.device_time.push_back(std::numeric_limits<double>::infinity());
  return true;
}
bool BerthGraphEvents::boolean(bool value) {
  fail(std::string("found ") + (value ? "true" : "false") + "; expected a number or text");
}
bool BerthGraphEvents::number_integer(std::int64_t value) {
  number(static_cast<double>(value));
  return true;
}
bool BerthGraphEvents::number_unsigned(std::uint64_t value) {
  number(static_cast<double>(value));
  return true;
}
bool BerthGraphEvents::number_float(double value, const std::string& /*text*/) {
  number(value);
  return true;
}
bool BerthGraphEvents::binary(binary_t& /*value*/) {
  fail("found binary data; expected a number or text");
}

void BerthGraphEvents::number(double value) {
  switch (where_) {
    case Where::kRoot:
      return set_root(value);
    case Where::kOp:
      return set_op(value);
    case Where::kEdge:
      return set_edge(value);
    case Where::kTimes:
      op_.device_time.push_back(value);
      return;
    case Where::kEligible:
      op_.eligible.push_back(to_id<DeviceId>(to_index(value)));
      return;
    case Where::kStart:
    case Where::kOps:
    case Where::kEdges:
      fail("found a number; expected an object {...}");
  }
}

void BerthGraphEvents::set_root(double value) {
  if (key_ == "version") {
    version_ = value;
  } else if (key_ == "seconds_per_unit") {
    seconds_per_unit_ = value;
    note_basis(CostBasis::kTime);
    if (!(value > 0.0)) {
      fail(number_text(value) + "; expected a number > 0");
    }
  } else {
    fail("found a number; expected text or a list");
  }
}

void BerthGraphEvents::set_op(double value) {
  if (key_ == "id") {
    op_id_ = value;
  } else if (key_ == "time_units" || key_ == "flops") {
    note_basis(key_ == "flops" ? CostBasis::kPhysical : CostBasis::kTime);
    if (!std::isnan(work_)) {
      fail("given twice; expected one of time_units and flops");
    }
    work_ = value;
  } else if (key_ == "output_bytes") {
    op_.output_bytes = value;
  } else if (key_ == "touched_bytes") {
    op_.touched_bytes = value;
  } else if (key_ == "memory_bytes") {
    op_.memory_bytes = value;
  } else {
    fail("found a number; expected " + std::string(key_.ends_with("s") ? "a list" : "text"));
  }
}

void BerthGraphEvents::set_edge(double value) {
  if (key_ == "from") {
    edge_from_ = static_cast<double>(to_index(value));
  } else if (key_ == "to") {
    edge_to_ = static_cast<double>(to_index(value));
  } else {
    note_basis(key_ == "size_bytes" ? CostBasis::kPhysical : CostBasis::kTime);
    if (!(value >= 0.0)) {
      fail(number_text(value) + "; expected a number >= 0");
    }
    if (edge_size_ >= 0.0) {
      fail("given twice; expected one of time_units and size_bytes");
    }
    edge_size_ = value;
  }
}

bool BerthGraphEvents::string(std::string& value) {
  if (where_ == Where::kRoot && key_ == "name") {
    name_ = std::move(value);
    has_name_ = true;
  } else if (where_ == Where::kRoot && key_ == "format") {
    format_ = std::move(value);
  } else if (where_ == Where::kRoot && key_ == "costs") {
    costs_ = std::move(value);
  } else if (where_ == Where::kOp && key_ == "name") {
    op_.name = std::move(value);
  } else if (where_ == Where::kOp && key_ == "kind") {
    op_.kind = std::move(value);
  } else if (where_ == Where::kOp && key_ == "kernel") {
    op_.kernel = std::move(value);
  } else {
    fail("found " + shown(value) + "; expected a number" +
         (where_ == Where::kRoot ? "" : ", an object or a list, not text"));
  }
  return true;
}

bool BerthGraphEvents::start_object(std::size_t /*size*/) {
  if (where_ == Where::kStart) {
    where_ = Where::kRoot;
  } else if (where_ == Where::kOps) {
    where_ = Where::kOp;
    op_ = OpSpec{};
    op_id_ = -1.0;
    work_ = std::numeric_limits<double>::quiet_NaN();
  } else if (where_ == Where::kEdges) {
    where_ = Where::kEdge;
    edge_from_ = edge_to_ = edge_size_ = -1.0;
  } else {
    fail("found an object; expected " +
         std::string(where_ == Where::kRoot ? "text, a number or a list" : "a number or text"));
  }
  key_.clear();
  return true;
}

bool BerthGraphEvents::key(std::string& name) {
  const std::vector<std::string>& known = where_ == Where::kRoot ? root_keys()
                                          : where_ == Where::kOp ? op_keys()
                                                                 : edge_keys();
  key_ = std::move(name);
  if (std::find(known.begin(), known.end(), key_) == known.end()) {
    const std::string near = nearest_name(key_, known);
    std::string all;
    for (const std::string& word : known) {
      all += (all.empty() ? "" : ", ") + word;
    }
    const std::string unknown = std::move(key_);
    key_.clear();
    fail("unknown key " + shown(unknown) + "; " +
         (near.empty() ? "expected one of " + all : "did you mean '" + near + "'?"));
  }
  return true;
}

bool BerthGraphEvents::start_array(std::size_t /*size*/) {
  if (where_ == Where::kRoot && (key_ == "ops" || key_ == "edges")) {
    bool& seen = key_ == "ops" ? has_ops_ : has_edges_;
    if (seen) {
      fail("given twice; expected one list");
    }
    seen = true;
    where_ = key_ == "ops" ? Where::kOps : Where::kEdges;
  } else if (where_ == Where::kOp && (key_ == "device_time_units" || key_ == "device_seconds")) {
    note_basis(key_ == "device_seconds" ? CostBasis::kPhysical : CostBasis::kTime);
    where_ = Where::kTimes;
    op_.device_time.clear();
  } else if (where_ == Where::kOp && key_ == "eligible_devices") {
    where_ = Where::kEligible;
    op_.eligible.clear();
  } else {
    fail("found a list; expected " + std::string(where_ == Where::kRoot || where_ == Where::kOp
                                                     ? "a number or text"
                                                     : "an object {...}"));
  }
  return true;
}

bool BerthGraphEvents::end_array() {
  if (where_ == Where::kTimes || where_ == Where::kEligible) {
    if (where_ == Where::kEligible && op_.eligible.empty()) {
      fail("no device; expected at least one, or no such key if all may run the op");
    }
    where_ = Where::kOp;
  } else {
    where_ = Where::kRoot;
  }
  return true;
}

bool BerthGraphEvents::end_object() {
  key_.clear();
  if (where_ == Where::kOp) {
    add_op();
    where_ = Where::kOps;
  } else if (where_ == Where::kEdge) {
    add_edge();
    where_ = Where::kEdges;
  } else {
    where_ = Where::kStart;
  }
  return true;
}

void BerthGraphEvents::add_op() {
  if (op_id_ != -1.0 && op_id_ != static_cast<double>(builder_.num_ops())) {
    fail("id " + number_text(op_id_) + "; expected " + std::to_string(builder_.num_ops()) +
         ": an op's id is its position in the list");
  }
  if (std::isnan(work_)) {
    for (const double time : op_.device_time) {
      work_ = std::isnan(work_) ? time : std::min(work_, time);
    }
  }
  if (std::isnan(work_)) {
    fail("no cost; expected time_units (costs \"time\") or flops (costs \"physical\")");
  }
  op_.work = std::isinf(work_) ? 0.0 : work_;  // all devices infinite: the builder refuses it
  names_.add(op_.name);
  const std::size_t id = builder_.num_ops();
  try {
    if (!op_.kernel.empty()) {
      op_.kernel = to_text(parse_op_kernel(op_.kernel));  // one spelling, known to be sound
    }
    builder_.add_op(std::move(op_));
  } catch (const Error& error) {
    rethrow_with_context(error, source_.place + ":/ops/" + std::to_string(id));
  }
}

void BerthGraphEvents::add_edge() {
  for (const auto& [value, name] : {std::pair{edge_from_, "from"},
                                    std::pair{edge_to_, "to"},
                                    std::pair{edge_size_, "time_units or size_bytes"}}) {
    if (value < 0.0) {
      fail(std::string("no ") + name + "; expected from, to and a size");
    }
  }
  edges_.push_back(
      {static_cast<std::uint64_t>(edge_from_), static_cast<std::uint64_t>(edge_to_), edge_size_});
  ++next_edge_;
}

bool BerthGraphEvents::parse_error(std::size_t position,
                                   const std::string& /*token*/,
                                   const nlohmann::json::exception& error) {
  fail_json(source_, position, error.what());
}

Graph BerthGraphEvents::finish(Logger& logger) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(source_.place + ": " + what);
  };
  if (format_ != "berth.graph") {
    refuse((format_.empty() ? std::string("no key 'format'") : "format is " + shown(format_)) +
           "; expected \"format\": \"berth.graph\"");
  }
  if (version_ != kBerthGraphVersion) {
    refuse("version " + number_text(version_) + " of berth.graph; this berth reads version " +
           std::to_string(kBerthGraphVersion));
  }
  if (costs_ != "time" && costs_ != "physical") {
    refuse("costs is " + shown(costs_) + "; expected \"time\" or \"physical\"");
  }
  const bool time = costs_ == "time";
  const std::string& wrong = time ? physical_place_ : time_place_;
  if (!wrong.empty()) {
    throw InputError(wrong + ": a key of " + (time ? "physical" : "time") +
                     " costs; expected only keys of costs \"" + costs_ + "\"");
  }
  if (time && seconds_per_unit_ == 0.0) {
    refuse("no key 'seconds_per_unit'; expected the seconds in one time unit");
  }
  if (!has_ops_ || !has_edges_) {
    refuse(std::string("no key '") + (has_ops_ ? "edges" : "ops") + "'; expected a list");
  }
  builder_.name(has_name_ ? std::move(name_) : source_.stem());
  builder_.cost_basis(time ? CostBasis::kTime : CostBasis::kPhysical,
                      time ? seconds_per_unit_ : 1.0);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const PendingEdge& edge = edges_[e];
    const auto edge_place = [&] { return source_.place + ":/edges/" + std::to_string(e); };
    try {
      builder_.add_edge(to_id<OpId>(edge.from), to_id<OpId>(edge.to), edge.size);
    } catch (const Error& error) {
      rethrow_with_context(error, edge_place());
    }
  }
  edges_ = {};
  names_.warn(source_, logger);
  return freeze(builder_, source_, logger);
}

}  // namespace berth::datasets

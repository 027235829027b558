// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "search_settings.hpp"

#include <charconv>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "berth/error.hpp"

namespace berth::nest {
namespace {

std::uint32_t number(const std::string& piece, const std::string& text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > 1'000'000) {
    throw InputError("pin: '" + piece + "'; expected a whole number from 1 to 1000000 after the =");
  }
  return value;
}

template <class Value>
Value choice(const std::string& piece,
             const std::string& text,
             const std::vector<std::pair<std::string, Value>>& known) {
  std::string all;
  for (const auto& [name, value] : known) {
    if (text == name) {
      return value;
    }
    all += (all.empty() ? "" : ", ") + name;
  }
  throw InputError("pin: '" + piece + "'; expected one of " + all);
}

void set(Pins& pins, const std::string& piece, const std::string& key, const std::string& text) {
  if (key == "tp") {
    pins.tensor = number(piece, text);
  } else if (key == "cp") {
    pins.context = number(piece, text);
  } else if (key == "ep") {
    pins.expert = number(piece, text);
  } else if (key == "mbs") {
    pins.micro_batch = number(piece, text);
  } else if (key == "pp") {
    pins.stages = number(piece, text);
  } else if (key == "vpp") {
    pins.chunks = number(piece, text);
  } else if (key == "dp") {
    pins.data = number(piece, text);
  } else if (key == "zero") {
    pins.zero = choice<std::uint32_t>(piece, text, {{"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}});
  } else if (key == "sp") {
    pins.sequence_parallel = choice<bool>(piece, text, {{"true", true}, {"false", false}});
  } else if (key == "mixed") {
    pins.mixed = choice<bool>(piece, text, {{"true", true}, {"false", false}});
  } else if (key == "packing") {
    pins.packing = choice<Packing>(
        piece,
        text,
        {{"pipeline-inner", Packing::kPipelineInner}, {"data-inner", Packing::kDataInner}});
  } else if (key == "recompute") {
    pins.recompute = choice<Recompute>(piece,
                                       text,
                                       {{"none", Recompute::kNone},
                                        {"selective", Recompute::kSelective},
                                        {"full", Recompute::kFull}});
  } else {
    throw InputError(
        "pin: unknown key '" + key +
        "'; expected one of tp, pp, vpp, dp, cp, ep, sp, mbs, zero, packing, recompute, mixed");
  }
}

}  // namespace

bool Pins::allow(const StrategyConfiguration& c) const {
  const auto equal = [](const auto& pin, const auto& value) { return !pin || *pin == value; };
  return equal(tensor, c.tensor) && equal(context, c.context) && equal(expert, c.expert) &&
         equal(micro_batch, c.micro_batch) && equal(sequence_parallel, c.sequence_parallel);
}

Pins parse_pins(const std::string& text) {
  Pins pins;
  std::set<std::string> seen;
  if (text.ends_with(',')) {
    throw InputError("pin: '" + text + "'; expected no comma at its end");
  }
  std::stringstream pieces(text);
  for (std::string piece; std::getline(pieces, piece, ',');) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string::npos) {
      throw InputError("pin: '" + piece + "'; expected key=value, for example tp=8");
    }
    const std::string key = piece.substr(0, equals);
    if (!seen.insert(key).second) {
      throw InputError("pin: '" + piece + "': " + key + " is pinned twice; expected each key once");
    }
    set(pins, piece, key, piece.substr(equals + 1));
  }
  return pins;
}

}  // namespace berth::nest

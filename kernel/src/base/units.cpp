// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/units.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kTimeUnits[] = {
    {"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60.0}, {"h", 3600.0}};
constexpr Unit kByteUnits[] = {{"B", 1.0},
                               {"kB", 1e3},
                               {"MB", 1e6},
                               {"GB", 1e9},
                               {"TB", 1e12},
                               {"KiB", 0x1p10},
                               {"MiB", 0x1p20},
                               {"GiB", 0x1p30},
                               {"TiB", 0x1p40},
                               {"bit", 0.125},
                               {"kbit", 125.0},
                               {"Mbit", 1.25e5},
                               {"Gbit", 1.25e8},
                               {"Tbit", 1.25e11}};
constexpr Unit kRateUnits[] = {
    {"FLOPS", 1.0}, {"GFLOPS", 1e9}, {"TFLOPS", 1e12}, {"PFLOPS", 1e15}, {"MFLOPS", 1e6}};

/// Splits "12 GB/s" into number and unit and applies the unit's factor.
double parse(std::string_view text,
             std::span<const Unit> units,
             std::string_view example,
             bool per_second) {
  const auto refuse = [&](const std::string& what) {
    throw InputError("'" + std::string(text) + "' " + what + " (e.g. '" + std::string(example) +
                     "')");
  };
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) {
    refuse("does not start with a number");
  }
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  if (!(value >= 0.0) || std::isinf(value)) {
    refuse("is not a finite number >= 0");
  }
  if (unit.empty()) {
    refuse("has no unit");
  }
  if (per_second) {
    if (unit.ends_with("/s") || unit.ends_with("ps")) {
      unit.remove_suffix(2);
    } else {
      refuse("is not per second");
    }
  }
  for (const Unit& known : units) {
    if (known.name == unit) {
      const double scaled_value = value * known.factor;
      if (std::isinf(scaled_value)) {
        refuse("is not a finite number >= 0");
      }
      return scaled_value;
    }
  }
  refuse("has an unknown unit '" + std::string(unit) + "'");
  return 0.0;
}

std::string scaled(double value, std::span<const Unit> units, const char* suffix) {
  const Unit* unit = &units.front();
  for (const Unit& candidate : units) {
    if (value >= candidate.factor) {
      unit = &candidate;
    }
  }
  char buffer[64];
  std::snprintf(buffer,
                sizeof buffer,
                "%.4g %.*s%s",
                value / unit->factor,
                static_cast<int>(unit->name.size()),
                unit->name.data(),
                suffix);
  return buffer;
}

constexpr Unit kShownTime[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}};
constexpr Unit kShownBytes[] = {{"B", 1.0}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
constexpr Unit kShownRate[] = {
    {"FLOPS", 1.0}, {"MFLOPS", 1e6}, {"GFLOPS", 1e9}, {"TFLOPS", 1e12}, {"PFLOPS", 1e15}};

}  // namespace

Seconds parse_seconds(std::string_view text) {
  return {parse(text, kTimeUnits, "7us", false)};
}
Bytes parse_bytes(std::string_view text) {
  return {parse(text, std::span(kByteUnits).first(9), "80GiB", false)};
}
BytesPerSecond parse_bandwidth(std::string_view text) {
  return {parse(text, kByteUnits, "12GB/s", true)};
}
FlopsPerSecond parse_rate(std::string_view text) {
  return {parse(text, kRateUnits, "9.3TFLOPS", false)};
}

std::string format(Seconds value) {
  return scaled(value.value, kShownTime, "");
}
std::string format(Bytes value) {
  return scaled(value.value, kShownBytes, "");
}
std::string format(BytesPerSecond value) {
  return scaled(value.value, kShownBytes, "/s");
}
std::string format(FlopsPerSecond value) {
  return scaled(value.value, kShownRate, "");
}

}  // namespace abi_v1
}  // namespace berth

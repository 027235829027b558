// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "topology_file.hpp"

#include <charconv>
#include <filesystem>

#include "berth/config.hpp"
#include "berth/error.hpp"

#include "atomic_file.hpp"
#include "numbers.hpp"
#include "source_text.hpp"
#include "topology_json.hpp"
#include "topology_presets.hpp"

namespace berth::datasets {
namespace {

/// Devices after the colon of "uniform:4"; the preset's own count if there is no colon.
std::size_t device_count(std::string_view word, std::string_view count, const Preset& preset) {
  if (count.empty() && preset.fixed_devices > 0) {
    return preset.fixed_devices;
  }
  std::size_t devices = 0;
  const char* const end = count.data() + count.size();
  const auto [stop, error] = std::from_chars(count.data(), end, devices);
  const bool wrong_fixed = preset.fixed_devices > 0 && devices != preset.fixed_devices;
  if (error != std::errc() || stop != end || devices == 0 || devices > kMaxDevices || wrong_fixed) {
    const std::string expected =
        preset.fixed_devices > 0
            ? std::string(preset.name) + ":" + std::to_string(preset.fixed_devices)
            : std::string(preset.name) + ":N with N from 1 to " + std::to_string(kMaxDevices);
    throw InputError("topology " + shown(word) + ": " + shown(count) + " devices; expected " +
                     expected);
  }
  return devices;
}

}  // namespace

Topology make_topology(std::string_view preset_or_file) {
  std::error_code ignored;
  const std::filesystem::path file(preset_or_file);
  if (!preset_or_file.empty() && std::filesystem::is_regular_file(file, ignored)) {
    return read_topology_json(load_source(file));
  }
  const std::size_t colon = preset_or_file.find(':');
  const std::string_view name = preset_or_file.substr(0, colon);
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    if (preset.name == name) {
      const std::string_view count =
          colon == std::string_view::npos ? "" : preset_or_file.substr(colon + 1);
      return preset.make(device_count(preset_or_file, count, preset));
    }
    names.emplace_back(preset.name);
  }
  const std::string near = nearest_name(name, names);
  std::string all;
  for (const std::string& known : names) {
    all += (all.empty() ? "" : ", ") + known;
  }
  throw InputError(
      "topology " + shown(preset_or_file) + ": no such file or preset; " +
      (near.empty() ? "expected a file or one of " + all : "did you mean '" + near + "'?"));
}

void write_topology(const Topology& topology, const std::filesystem::path& file) {
  write_atomically(file, write_topology_json(topology));
}

std::vector<TopologyPreset> topology_presets() {
  std::vector<TopologyPreset> list;
  for (const Preset& preset : presets()) {
    list.push_back(
        {std::string(preset.name) +
             (preset.fixed_devices > 0 ? ":" + std::to_string(preset.fixed_devices) : ":N"),
         std::string(preset.summary)});
  }
  return list;
}

}  // namespace berth::datasets

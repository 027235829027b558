// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_throughputs.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "berth/error.hpp"

#include "csv_file.hpp"
#include "rate_range.hpp"

namespace berth::datasets {
namespace {

using nlohmann::json;

double seconds_of(const std::filesystem::path& file) {
  std::string text;
  for (const std::string& line : read_lines(file)) {
    text += line + "\n";
  }
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) {
    throw InputError(file.string() +
                     ": no JSON object; expected one plan of berth plan, or one result of berth "
                     "place --json");
  }
  for (const char* key : {"seconds_per_batch", "makespan_seconds"}) {
    if (document.contains(key)) {
      const json& value = document[key];
      const double seconds = value.is_number() ? value.get<double>() : 0.0;
      if (!(seconds > 0.0 && std::isfinite(seconds) && is_rate(1.0 / seconds))) {
        throw InputError(file.string() + ":/" + key + ": " + value.dump() +
                         "; expected a number of seconds from 1e-9 to 1e9");
      }
      return seconds;
    }
  }
  throw InputError(file.string() +
                   ": neither seconds_per_batch nor makespan_seconds; expected one");
}

ThroughputEntry entry_of(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  const std::vector<std::string> parts = split(stem, '@');
  std::uint32_t gang = 0;
  if (parts.size() == 3) {
    const char* end = parts[2].data() + parts[2].size();
    const auto [stop, error] = std::from_chars(parts[2].data(), end, gang);
    gang = error == std::errc() && stop == end ? gang : 0;
  }
  if (gang == 0 || parts[0].empty() || parts[1].empty()) {
    throw InputError(file.string() +
                     ": a name that says nothing; expected JOB@ACCELERATOR@GANG.json, e.g. "
                     "llama2-7b@h100@8.json");
  }
  return {parse_job_type(file.string(), parts[0]), gang, parts[1], true, 1.0 / seconds_of(file)};
}

}  // namespace

ThroughputTable read_plan_throughputs(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".json") {
      files.push_back(at->path());
    }
  }
  if (error || files.empty()) {
    throw InputError(folder.string() +
                     ": no folder with files JOB@ACCELERATOR@GANG.json; expected plans there");
  }
  std::sort(files.begin(), files.end());
  std::vector<ThroughputEntry> entries;
  for (const std::filesystem::path& file : files) {
    entries.push_back(entry_of(file));
    entries.push_back(entries.back());
    entries.back().consolidated = false;
  }
  return {folder.string(), entries};
}

}  // namespace berth::datasets

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "throughput_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <ostream>
#include <set>
#include <utility>

#include "berth/error.hpp"

#include "csv_file.hpp"
#include "rate_range.hpp"

namespace berth::datasets {
namespace {

std::string join(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::uint32_t gang_of(const CsvFile& csv, std::size_t row) {
  const std::uint32_t gang = csv.whole(row, "scale_factor");
  if (gang == 0) {
    throw InputError(csv.place(row) + ": scale_factor: '0'; expected a whole number from 1 on");
  }
  return gang;
}

bool is_consolidated(const CsvFile& csv, std::size_t row) {
  const std::string& text = csv.text(row, "consolidated");
  if (text != "0" && text != "1") {
    throw InputError(csv.place(row) + ": consolidated: '" + text + "'; expected 0 or 1");
  }
  return text == "1";
}

double rate_of(const CsvFile& csv, std::size_t row) {
  const double rate = csv.number(row, "steps_per_s");
  if (!is_rate(rate)) {
    throw InputError(csv.place(row) + ": steps_per_s: '" + csv.text(row, "steps_per_s") +
                     "'; expected " + kRateWords);
  }
  return rate;
}

}  // namespace

std::string to_string(const JobType& type) {
  return type.batch_size == 0
             ? type.model
             : type.model + " (batch size " + std::to_string(type.batch_size) + ")";
}

JobType parse_job_type(const std::string& place, std::string_view text) {
  constexpr std::string_view kMark = " (batch size ";
  const std::size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) {
    return {std::string(text), 0};
  }
  std::string_view digits = text.substr(mark + kMark.size());
  if (digits.empty() || digits.back() != ')') {
    throw InputError(place + ": job type '" + std::string(text) +
                     "'; expected 'Model (batch size N)'");
  }
  digits.remove_suffix(1);
  const double batch = parse_number(place + ": batch size", digits);
  if (batch != std::floor(batch) || batch > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(place + ": batch size: '" + std::string(digits) +
                     "'; expected a whole number");
  }
  return {std::string(text.substr(0, mark)), static_cast<std::uint32_t>(batch)};
}

ThroughputTable::ThroughputTable(const std::filesystem::path& file, std::string_view table)
    : name_(file.string()) {
  const CsvFile csv(file);
  const bool many = csv.has_column("table");
  std::set<std::string> tables;
  for (std::size_t row = 0; row < csv.num_rows(); ++row) {
    if (many) {
      tables.insert(csv.text(row, "table"));
      if (csv.text(row, "table") != table) {
        continue;
      }
    }
    const std::uint32_t batch =
        csv.text(row, "batch_size").empty() ? 0 : csv.whole(row, "batch_size");
    add(csv.place(row),
        {{csv.text(row, "model"), batch},
         gang_of(csv, row),
         csv.text(row, "gpu"),
         is_consolidated(csv, row),
         rate_of(csv, row)});
  }
  if (entries_.empty()) {
    throw InputError(name_ + ": no throughput table '" + std::string(table) + "'; it has " +
                     join(tables));
  }
}

ThroughputTable::ThroughputTable(std::string name, std::span<const ThroughputEntry> entries)
    : name_(std::move(name)) {
  for (const ThroughputEntry& entry : entries) {
    add(name_, entry);
  }
}

void ThroughputTable::add(const std::string& place, const ThroughputEntry& entry) {
  const Key key{entry.type, entry.gang, entry.gpu, entry.consolidated};
  if (!entries_.emplace(key, entry.steps_per_second).second) {
    throw InputError(place + ": a second entry for " + to_string(key.type) + " on " +
                     std::to_string(key.gang) + " " + key.gpu + "; expected one");
  }
}

void ThroughputTable::write_csv(std::ostream& out) const {
  out << "model,batch_size,scale_factor,gpu,consolidated,steps_per_s\n";
  for (const auto& [key, rate] : entries_) {
    char number[32];
    std::snprintf(number, sizeof number, "%.17g", rate);
    out << csv_field(key.type.model) << ','
        << (key.type.batch_size == 0 ? "" : std::to_string(key.type.batch_size)) << ',' << key.gang
        << ',' << csv_field(key.gpu) << ',' << (key.consolidated ? 1 : 0) << ',' << number << '\n';
  }
}

bool ThroughputTable::has(const JobType& type, std::uint32_t gang) const {
  const auto found = entries_.lower_bound(Key{type, gang, "", false});
  return found != entries_.end() && found->first.type == type && found->first.gang == gang;
}

std::vector<double> ThroughputTable::rates(const std::string& place,
                                           const JobType& type,
                                           std::uint32_t gang,
                                           std::span<const std::string> gpus,
                                           bool consolidated) const {
  std::vector<double> values;
  for (const std::string& gpu : gpus) {
    const auto found = entries_.find(Key{type, gang, gpu, consolidated});
    if (found != entries_.end()) {
      values.push_back(found->second);
      continue;
    }
    if (!consolidated) {
      values.push_back(0.0);
      continue;
    }
    std::set<std::string> known_gpus;
    std::set<std::string> known_models;
    for (const auto& entry : entries_) {
      known_gpus.insert(entry.first.gpu);
      known_models.insert(to_string(entry.first.type));
    }
    if (known_gpus.count(gpu) == 0) {
      throw InputError(place + ": " + name_ + " has no accelerator '" + gpu + "'; it has " +
                       join(known_gpus));
    }
    if (known_models.count(to_string(type)) == 0) {
      throw InputError(place + ": " + name_ + " has no job type '" + to_string(type) +
                       "'; it has " + join(known_models));
    }
    throw InputError(place + ": " + name_ + " has no throughput of '" + to_string(type) +
                     "' with a gang of " + std::to_string(gang) + " on " + gpu +
                     "; measure it or change the gang");
  }
  return values;
}

}  // namespace berth::datasets

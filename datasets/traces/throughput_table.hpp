// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::datasets {

/// What a job trains: a model and the batch of one worker; batch 0 where the model has none.
struct JobType {
  std::string model;
  std::uint32_t batch_size = 0;

  auto operator<=>(const JobType&) const = default;
};

/// "ResNet-18 (batch size 64)" or "A3C".
[[nodiscard]] std::string to_string(const JobType& type);
/// @throws InputError naming `place` if a batch size is started and not a whole number > 0.
[[nodiscard]] JobType parse_job_type(const std::string& place, std::string_view text);

/// One number of a throughput table.
struct ThroughputEntry {
  JobType type;
  std::uint32_t gang = 1;
  std::string gpu;
  bool consolidated = true;
  double steps_per_second = 0.0;
};

/// Training steps per second of a gang, by job type, gang size, accelerator and consolidation.
/// The numbers are aggregates of all workers; 0 means it does not fit in memory.
class ThroughputTable {
 public:
  /// Reads a CSV file with the columns model, batch_size, scale_factor, gpu, consolidated,
  /// steps_per_s and, where it holds several tables, table.
  /// @param table Which table; ignored where the column is absent.
  /// @throws InputError naming file, line, what was found and what was expected; also where a key
  /// is there twice or the table does not exist (names those that do).
  ThroughputTable(const std::filesystem::path& file, std::string_view table);

  /// A table from numbers. @param name For messages. @throws InputError where a key is there twice.
  ThroughputTable(std::string name, std::span<const ThroughputEntry> entries);

  /// [types] steps/s. A consolidated entry must exist for every accelerator; a spread one that
  /// was not measured is 0, so that no gang is scheduled there on a guess.
  /// @throws InputError naming `place`, the key, and the accelerators or models that are known.
  [[nodiscard]] std::vector<double> rates(const std::string& place,
                                          const JobType& type,
                                          std::uint32_t gang,
                                          std::span<const std::string> gpus,
                                          bool consolidated) const;

  /// The CSV form that the constructor takes back.
  void write_csv(std::ostream& out) const;

  /// Number of entries.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool has(const JobType& type, std::uint32_t gang) const;

 private:
  struct Key {
    JobType type;
    std::uint32_t gang = 0;
    std::string gpu;
    bool consolidated = true;
    auto operator<=>(const Key&) const = default;
  };

  void add(const std::string& place, const ThroughputEntry& entry);

  std::string name_;
  std::map<Key, double> entries_;
};

}  // namespace berth::datasets

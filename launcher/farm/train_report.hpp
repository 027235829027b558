// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "campaign_record.hpp"
#include "rollout_runner.hpp"

namespace berth::launcher {

/// A finished campaign beside what it is compared with.
struct TrainReport {
  std::string policy;
  const Problems* problems = nullptr;
  const CampaignRecord* record = nullptr;
  std::vector<std::vector<RivalResult>> rivals;  ///< [problems]
  std::filesystem::path folder;
};

/// Table for people: a row for each problem and policy with makespan, gap and simulations.
[[nodiscard]] std::string to_table(const TrainReport& report);

/// One JSON line.
[[nodiscard]] std::string to_json_line(const TrainReport& report);

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "farm.hpp"

namespace berth::launcher {

/// What an update of kind execution adds to its line of metrics: for each problem the incumbent's
/// seconds, what was run and what it cost, and every rollout that was run with all its times.
[[nodiscard]] nlohmann::ordered_json trials_json(const CampaignRecord& record,
                                                 const UpdateSummary& summary);

/// What a problem's measurements came to in all, for people; one line.
[[nodiscard]] std::string trials_text(const std::string& problem, const MeasuredRecord& measured);

/// The same for machines.
[[nodiscard]] nlohmann::ordered_json trials_json(const MeasuredRecord& measured);

}  // namespace berth::launcher

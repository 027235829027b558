// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include "schedule_output.hpp"

namespace berth::launcher {

/// Writes one self-contained HTML page (SVG, no scripts): the comparison; per
/// scheduler a Gantt chart of machines over time with jobs coloured,
/// utilisation and queue curves, the distribution of completion times; a table
/// of all jobs. Bars narrower than a quarter of a pixel are left out of the
/// chart, and the page says how many. Atomic.
/// @throws RunError if the file cannot be written.
void write_schedule_report(const ScheduleSetting& setting,
                           std::span<const ScheduleResult> results,
                           const std::string& file);

}  // namespace berth::launcher

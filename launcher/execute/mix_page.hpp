// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "mix_report.hpp"

namespace berth::launcher {

/// A finished run as one HTML page that needs nothing else: nodes over time with copies coloured by
/// job, loss and metric of every merged model over time, tables of jobs and of rates believed and
/// measured; drawings are SVG. Pure.
[[nodiscard]] std::string mix_page(const JobTracker& tracker, const MixResult& result);

}  // namespace berth::launcher

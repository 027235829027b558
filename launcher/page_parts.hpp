// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "berth/cluster_job.hpp"

namespace berth::launcher {

/// Text for HTML and its attributes.
[[nodiscard]] std::string escaped_html(const std::string& text);

/// Rows as a table, the first of which is the header.
[[nodiscard]] std::string table_html(const std::vector<std::vector<std::string>>& rows);

/// The colour of a job in every drawing; neighbouring ids are far apart.
[[nodiscard]] std::string job_colour(JobId job);

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "berth/cluster_job.hpp"

namespace berth::launcher {

/// Text for HTML and its attributes.
[[nodiscard]] std::string escaped_html(const std::string& text);

/// The colour of a job in every drawing; neighbouring ids are far apart.
[[nodiscard]] std::string job_colour(JobId job);

}  // namespace berth::launcher

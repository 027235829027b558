// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include "doppler_bench/section.hpp"

namespace berth::launcher {

/// A page that needs nothing else; charts are SVG. @throws InputError, RunError if it cannot be
/// written.
void write_section_page(std::span<const Section> sections, const std::string& file);

}  // namespace berth::launcher

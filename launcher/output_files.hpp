// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <initializer_list>

#include "command_line.hpp"

namespace berth::launcher {

/// Tries the files that these options name before the work whose result would be written to them.
/// @throws InputError naming the file if one cannot be written, or the options if two name one
/// file.
void check_output_files(const CommandLine& line, std::initializer_list<const char*> options);

/// The same of options that name a folder.
void check_output_folders(const CommandLine& line, std::initializer_list<const char*> options);

}  // namespace berth::launcher

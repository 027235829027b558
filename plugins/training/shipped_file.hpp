// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace berth::training {

/// The path of a file that ships with Berth, for example "digits.csv": share/berth/training of the
/// folder, at most four levels up, in which this library lies; an install tree and a build tree are
/// alike in this. @throws InputError naming the file and where it was looked for.
[[nodiscard]] std::string shipped_file(const std::string& name);

}  // namespace berth::training

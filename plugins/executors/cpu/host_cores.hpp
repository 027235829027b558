// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

namespace berth::executors {

/// The cores that this process may use, ascending.
[[nodiscard]] std::vector<int> allowed_cores();

/// Keeps the calling thread on `cores`, sets its timers to a microsecond and makes tiny numbers 0.
/// A host that refuses to pin is no error.
void settle_thread(const std::vector<int>& cores) noexcept;

/// Bytes that the host can still give; 0 if it does not say.
[[nodiscard]] std::uint64_t available_memory();

}  // namespace berth::executors

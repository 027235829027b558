// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

namespace berth::executors {

/// Writes `memory` back and takes it out of the caches of all cores; its values stay. So no core
/// still shares lines that another will write, which is slow, and what ran before has no part in
/// what runs next. Does nothing on processors without an instruction for it. Some 20 us for each
/// MB. @pre `memory` starts on a cache line.
void evict_from_caches(std::span<const float> memory) noexcept;

}  // namespace berth::executors

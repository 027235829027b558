// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "berth/graph.hpp"

namespace berth::datasets {

/// True for "workload:..." and "random:..." which stand for a generated graph wherever a graph file
/// may stand.
[[nodiscard]] bool is_workload_word(std::string_view word) noexcept;

/// The graph of "workload:NAME[:DEVICES[:COSTS[:EXTENTS]]]", for example
/// "workload:llama-layer:8:physical" or "workload:ffnn:2:physical:b1024h2048".
/// A "random:..." word is that of random_graph.hpp.
/// Default: 4 devices, reference costs, published sharding.
/// @throws InputError naming the word, what is wrong with it and the names there are.
[[nodiscard]] Graph make_workload_of(std::string_view word);

}  // namespace berth::datasets

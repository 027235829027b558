// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/partition_problem.hpp"

#include "downsets.hpp"
#include "item_graph.hpp"
#include "stage_choices.hpp"

namespace berth::planners {

/// One way to run the stage between two downsets: a label of one width, or a host.
struct CutOption {
  StageLabel label;
  std::uint32_t width = 0;
  std::uint32_t index = 0;  ///< Of the label in stage_labels().
  bool on_host = false;
};

/// A stage: what downset `outer` has beyond downset `inner`.
struct Cut {
  std::uint32_t outer = 0;
  std::uint32_t inner = 0;
  std::size_t first_option = 0;
  std::size_t end_option = 0;
};

/// Every contiguous stage of a graph with every way to run it.
struct CutList {
  ItemGraph items;
  Downsets sets;
  std::vector<Cut> cuts;  ///< By outer, larger sets first: an order in which suffixes are complete.
  std::vector<CutOption> options;

  /// Nodes of a cut, ascending; without free ones.
  [[nodiscard]] std::vector<std::uint32_t> nodes_of(const Cut& cut) const;
};

/// @throws InputError if the graph has more than 50,000 downsets or two million stages.
[[nodiscard]] CutList list_cuts(const PartitionProblem& problem);

}  // namespace berth::planners

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "berth/graph.hpp"
#include "berth/logger.hpp"

#include "source_text.hpp"

namespace berth::datasets {

/// One row of the table of formats: a reader, and a writer where the format can be written.
struct GraphFormat {
  std::string_view name;   ///< For --format: "doppler".
  std::string_view title;  ///< For messages: "DOPPLER text".
  Graph (*read)(const SourceText&, Logger&);
  std::string (*write)(const Graph&);  ///< Null: read only.
};

[[nodiscard]] std::span<const GraphFormat> graph_formats();

/// The format of a text, by the extension of its place and its first bytes; a head of 64 KiB is
/// enough. Null if it looks like none.
///
/// Rules, first match: `.dot`, `.gv`, `.stg` by extension. Text that starts with '{' by the first
/// top-level key that only one JSON format has. "digraph" or "strict": DOT. "#critical": table of
/// heterogeneous times. Otherwise by the first line that is no comment: three integers FAJSP, two
/// job-shop, one DOPPLER text if the file has a comma and STG if not.
[[nodiscard]] const GraphFormat* detect_format(const SourceText& source);

}  // namespace berth::datasets

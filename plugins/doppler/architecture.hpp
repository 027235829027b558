// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <tuple>

namespace berth::doppler {

/// Sizes of the two networks. C++17: the LibTorch file reads it.
struct Architecture {
  std::size_t node_columns = 0;    ///< Columns of the node features.
  std::size_t edge_columns = 0;    ///< Columns of the arc features.
  std::size_t device_columns = 0;  ///< Columns of the device features.
  std::size_t hidden = 32;         ///< Width of embeddings.
  std::size_t edge_hidden = 8;     ///< Hidden width of the edge network.
  std::size_t rounds = 3;          ///< Rounds of message passing.
  std::size_t head = 32;           ///< Hidden width of the two heads.
  std::size_t affinity = 16;       ///< Width of the pairwise term of PLC; 0: none.
  /// As the reference: head inputs are normalised over the candidates or devices of each step.
  /// Otherwise they are used as they are, which lets their projections be computed once.
  bool normalise = false;
  bool rich_features = true;  ///< Berth's features; otherwise the five columns of the paper.
};

inline bool operator==(const Architecture& a, const Architecture& b) {
  const auto all = [](const Architecture& x) {
    return std::tie(x.node_columns,
                    x.edge_columns,
                    x.device_columns,
                    x.hidden,
                    x.edge_hidden,
                    x.rounds,
                    x.head,
                    x.affinity,
                    x.normalise,
                    x.rich_features);
  };
  return all(a) == all(b);
}

}  // namespace berth::doppler

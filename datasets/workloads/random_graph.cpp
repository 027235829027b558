// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "random_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "../source_text.hpp"

namespace berth::datasets {
namespace {

constexpr std::size_t kMostRandomOps = 100'000;

/// Edges under construction, from lower to higher ids; costs come last.
class Shape {
 public:
  explicit Shape(Rng& rng) : rng_(&rng) {}

  /// @param kind ops of one kind > 0 cost alike.
  std::size_t op(std::size_t kind = 0) {
    kinds_.push_back(kind);
    return kinds_.size() - 1;
  }
  void edge(std::size_t from, std::size_t to) {
    if (from != to) {
      edges_.emplace(std::min(from, to), std::max(from, to));
    }
  }
  [[nodiscard]] std::size_t ops() const { return kinds_.size(); }
  [[nodiscard]] std::size_t below(std::size_t bound) { return rng_->below(bound); }
  /// first .. last, both included.
  [[nodiscard]] std::size_t between(std::size_t first, std::size_t last) {
    return first + below(last - first + 1);
  }

  [[nodiscard]] Graph build(const RandomGraphSpec& spec, Rng& costs) const {
    GraphBuilder builder("random-" + spec.family + "-" + std::to_string(spec.ops));
    builder.cost_basis(CostBasis::kTime, 1e-6);
    const std::uint64_t spread = costs.below(4);  // 0: all alike; 3: a long tail
    const auto draw = [&](double mean) {
      const double share = spread == 0  ? 1.0
                           : spread < 3 ? 0.02 + 1.96 * costs.uniform()
                                        : std::min(8.0, -std::log(1.0 - costs.uniform()));
      return std::max(mean > 0.0 ? 1.0 : 0.0, std::round(mean * share));
    };
    constexpr double kMean = 50.0;
    std::vector<double> of_kind;
    std::vector<double> transfer_of_kind;
    for (const std::size_t kind : kinds_) {
      while (of_kind.size() <= kind) {
        of_kind.push_back(draw(kMean));
        transfer_of_kind.push_back(draw(kMean * spec.ccr));
      }
      OpSpec op;
      op.work = kind > 0 ? of_kind[kind] : draw(kMean);
      op.kind = kind > 0 ? "kind" + std::to_string(kind) : "";
      builder.add_op(std::move(op));
    }
    for (const auto& [from, to] : edges_) {
      const std::size_t kind = kinds_[from];
      builder.add_edge(to_id<OpId>(from),
                       to_id<OpId>(to),
                       kind > 0 ? transfer_of_kind[kind] : draw(kMean * spec.ccr));
    }
    return builder.freeze();
  }

 private:
  Rng* rng_;
  std::vector<std::size_t> kinds_;
  std::set<std::pair<std::size_t, std::size_t>> edges_;
};

void layered(Shape& shape, std::size_t ops) {
  const std::size_t width =
      std::max<std::size_t>(2, shape.between(1, 2 * static_cast<std::size_t>(std::sqrt(ops))));
  std::size_t before = 0;
  std::size_t before_size = 0;
  while (shape.ops() < ops) {
    const std::size_t size = std::min(shape.between(1, width), ops - shape.ops());
    const std::size_t first = shape.ops();
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t v = shape.op();
      for (std::size_t k = 0; before_size > 0 && k < shape.between(1, 3); ++k) {
        shape.edge(before + shape.below(before_size), v);
      }
    }
    before = first;
    before_size = size;
  }
}

void sparse(Shape& shape, std::size_t ops) {
  const std::size_t degree = shape.between(1, 4);
  for (std::size_t v = 0; v < ops; ++v) {
    shape.op();
    for (std::size_t k = 0; v > 0 && k < shape.below(2 * degree); ++k) {
      shape.edge(shape.below(v), v);
    }
  }
}

void fork_join(Shape& shape, std::size_t ops) {
  const std::size_t width = shape.between(2, std::max<std::size_t>(3, ops / 2));
  const std::size_t depth = shape.between(1, 3);
  std::size_t last = shape.op();
  while (shape.ops() < ops) {
    std::vector<std::size_t> ends;
    for (std::size_t branch = 0; branch < width && shape.ops() + 1 < ops; ++branch) {
      std::size_t at = last;
      for (std::size_t i = 0; i < depth && shape.ops() + 1 < ops; ++i) {
        const std::size_t next = shape.op();
        shape.edge(at, next);
        at = next;
      }
      ends.push_back(at);
    }
    const std::size_t join = shape.op();
    for (const std::size_t end : ends) {
      shape.edge(end, join);
    }
    last = join;
  }
}

void tree(Shape& shape, std::size_t ops, bool outwards) {
  const std::size_t most = shape.between(2, 5);
  std::vector<std::size_t> children(ops, 0);
  for (std::size_t v = 0; v < ops; ++v) {
    shape.op();
  }
  for (std::size_t v = 1; v < ops; ++v) {
    std::size_t parent = shape.below(v);
    while (children[parent] >= most) {
      parent = (parent + 1) % v;
    }
    ++children[parent];
    if (outwards) {
      shape.edge(parent, v);
    } else {
      shape.edge(ops - 1 - v, ops - 1 - parent);
    }
  }
}

/// @return the last op of the piece that follows `from`.
std::size_t series_parallel(Shape& shape, std::size_t from, std::size_t ops) {
  if (ops <= 2) {
    const std::size_t v = shape.op();
    shape.edge(from, v);
    return v;
  }
  if (shape.below(2) == 0) {
    const std::size_t middle = series_parallel(shape, from, ops / 2);
    return series_parallel(shape, middle, ops - ops / 2);
  }
  const std::size_t branches = shape.between(2, std::min<std::size_t>(5, ops - 1));
  std::vector<std::size_t> ends;
  for (std::size_t branch = 0; branch < branches; ++branch) {
    ends.push_back(series_parallel(shape, from, std::max<std::size_t>(1, (ops - 1) / branches)));
  }
  const std::size_t join = shape.op();
  for (const std::size_t end : ends) {
    shape.edge(end, join);
  }
  return join;
}

void chains(Shape& shape, std::size_t ops) {
  const std::size_t width = shape.between(2, 10);
  for (std::size_t v = 0; v < ops; ++v) {
    shape.op();
    if (v >= width) {
      shape.edge(v - width, v);
      if (shape.below(6) == 0) {
        shape.edge(v - shape.between(1, width), v);
      }
    }
  }
}

void stencil(Shape& shape, std::size_t ops) {
  const std::size_t width = shape.between(2, std::max<std::size_t>(3, ops / 4));
  for (std::size_t v = 0; v < ops; ++v) {
    shape.op();
    const std::size_t column = v % width;
    if (v >= width) {
      shape.edge(v - width, v);
      if (column > 0) {
        shape.edge(v - width - 1, v);
      }
      if (column + 1 < width) {
        shape.edge(v - width + 1, v);
      }
    }
  }
}

void cells(Shape& shape, std::size_t ops) {
  const std::size_t branches = shape.between(1, 4);
  const std::size_t depth = shape.between(1, 4);
  std::size_t last = shape.op(1);
  while (shape.ops() < ops) {
    std::vector<std::size_t> ends{last};  // the shortcut
    for (std::size_t branch = 0; branch < branches; ++branch) {
      std::size_t at = last;
      for (std::size_t i = 0; i < depth; ++i) {
        const std::size_t next = shape.op(2 + branch * depth + i);
        shape.edge(at, next);
        at = next;
      }
      ends.push_back(at);
    }
    const std::size_t join = shape.op(1);
    for (std::size_t i = shape.below(2); i < ends.size(); ++i) {
      shape.edge(ends[i], join);
    }
    last = join;
  }
}

void blocks(Shape& shape, std::size_t ops) {
  const std::size_t width = shape.between(2, 16);
  std::size_t kind = 0;
  std::size_t before = 0;
  std::size_t before_size = 0;
  while (shape.ops() < ops) {
    ++kind;
    const bool reduces = before_size > 1 && shape.below(3) == 0;
    const std::size_t size =
        reduces ? std::max<std::size_t>(1, before_size / shape.between(2, 4)) : width;
    const std::size_t first = shape.ops();
    const std::size_t inputs = shape.between(1, 3);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t v = shape.op(kind);
      if (reduces) {
        for (std::size_t u = i; u < before_size; u += size) {
          shape.edge(before + u, v);
        }
      } else {
        for (std::size_t k = 0; before_size > 0 && k < inputs; ++k) {
          shape.edge(before + (i + k * std::max<std::size_t>(1, size / 2)) % before_size, v);
        }
      }
    }
    before = first;
    before_size = size;
  }
}

struct Family {
  std::string_view name;
  void (*make)(Shape&, std::size_t);
};

constexpr std::array kFamilies = {
    Family{"layered", layered},
    Family{"sparse", sparse},
    Family{"fork-join", fork_join},
    Family{"out-tree", [](Shape& shape, std::size_t ops) { tree(shape, ops, true); }},
    Family{"in-tree", [](Shape& shape, std::size_t ops) { tree(shape, ops, false); }},
    Family{"series-parallel",
           [](Shape& shape, std::size_t ops) { series_parallel(shape, shape.op(), ops); }},
    Family{"chains", chains},
    Family{"stencil", stencil},
    Family{"independent",
           [](Shape& shape, std::size_t ops) {
             while (shape.ops() < ops) {
               shape.op();
             }
           }},
    Family{"cells", cells},
    Family{"blocks", blocks}};

}  // namespace

std::span<const std::string_view> random_families() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const Family& family : kFamilies) {
      names.push_back(family.name);
    }
    return names;
  }();
  return kNames;
}

Graph make_random_graph(const RandomGraphSpec& spec) {
  constexpr std::uint64_t kShapeStream = 11;
  constexpr std::uint64_t kCostStream = 12;
  if (spec.ops == 0 || spec.ops > kMostRandomOps || !(spec.ccr >= 0.0) || std::isinf(spec.ccr)) {
    throw InputError("random graph of " + std::to_string(spec.ops) +
                     " ops: expected 1 to 100000 ops and a finite ccr >= 0");
  }
  std::vector<std::string> names;
  for (const Family& family : kFamilies) {
    if (family.name == spec.family) {
      Rng rng(spec.seed, {kShapeStream});
      Rng costs(spec.seed, {kCostStream});
      Shape shape(rng);
      family.make(shape, spec.ops);
      return shape.build(spec, costs);
    }
    names.emplace_back(family.name);
  }
  std::string all;
  for (const std::string& name : names) {
    all += (all.empty() ? "" : ", ") + name;
  }
  throw InputError("unknown family " + shown(spec.family) + "; expected one of " + all);
}

}  // namespace berth::datasets

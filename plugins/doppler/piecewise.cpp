// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "piecewise.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "berth/simulator.hpp"

#include "device_symmetry.hpp"
#include "graph_pieces.hpp"
#include "plugins/baselines/min_cost_assignment.hpp"

namespace berth::doppler {
namespace {

using DeviceMap = std::vector<std::size_t>;  ///< [devices] another device for each

constexpr std::size_t kMostExchanges = 24;  ///< Of the devices of a candidate: all of four.

OpSpec copy_of(const Graph& graph, OpId op) {
  OpSpec spec;
  spec.kind = graph.kind(op);
  spec.kernel = graph.kernel(op);
  spec.work = graph.work()[index(op)];
  spec.output_bytes = graph.output_bytes()[index(op)];
  spec.touched_bytes = graph.touched_bytes()[index(op)];
  spec.memory_bytes = graph.memory_bytes()[index(op)];
  const auto times =
      graph.device_time().subspan(index(op) * graph.table_devices(), graph.table_devices());
  spec.device_time.assign(times.begin(), times.end());
  const auto eligible = graph.eligible(op);
  spec.eligible.assign(eligible.begin(), eligible.end());
  return spec;
}

/// Makes problems of some ops of a problem alone.
class PartMaker {
 public:
  explicit PartMaker(const PlacementProblem& problem)
      : problem_(&problem), position_(problem.graph.num_ops(), kElsewhere) {}

  [[nodiscard]] std::shared_ptr<const PlacementProblem> operator()(std::span<const OpId> ops) {
    const Graph& graph = problem_->graph;
    GraphBuilder builder(graph.name());
    builder.cost_basis(graph.cost_basis(), graph.seconds_per_unit());
    for (std::size_t i = 0; i < ops.size(); ++i) {
      position_[index(ops[i])] = i;
      builder.add_op(copy_of(graph, ops[i]));
    }
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const std::size_t v = index(ops[i]);
      for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
        const std::size_t to = position_[index(graph.out_targets()[e])];
        if (to != kElsewhere) {
          builder.add_edge(to_id<OpId>(i), to_id<OpId>(to), graph.edge_size()[e]);
        }
      }
    }
    for (const OpId op : ops) {
      position_[index(op)] = kElsewhere;
    }
    return make_problem(problem_->name, builder.freeze(), problem_->topology, problem_->execution);
  }

 private:
  static constexpr std::size_t kElsewhere = std::numeric_limits<std::size_t>::max();
  const PlacementProblem* problem_;
  std::vector<std::size_t> position_;  ///< [ops] in the part at hand
};

/// Tells parts apart that are not placed alike: by graph, and by what each op costs.
std::uint64_t key_of(const PlacementProblem& part) {
  std::uint64_t key = part.graph.hash();
  for (const double time : part.costs.class_compute) {
    key = mix64(key ^ std::bit_cast<std::uint64_t>(time));
  }
  return key;
}

/// Exchanges of devices that are alike: all, or as many random ones as are tried.
std::vector<DeviceMap> exchanges(std::span<const std::uint32_t> alike, Rng& rng) {
  DeviceMap identity(alike.size());
  std::iota(identity.begin(), identity.end(), std::size_t{0});
  std::map<std::uint32_t, std::vector<std::size_t>> groups;
  for (std::size_t d = 0; d < alike.size(); ++d) {
    groups[alike[d]].push_back(d);
  }
  double ways = 1.0;
  for (const auto& [name, members] : groups) {
    for (std::size_t k = 2; k <= members.size(); ++k) {
      ways *= static_cast<double>(k);
    }
  }
  std::vector<DeviceMap> maps = {identity};
  if (ways > kMostExchanges) {
    while (maps.size() < kMostExchanges) {
      DeviceMap map = identity;
      for (const auto& [name, members] : groups) {
        for (std::size_t k = members.size(); k > 1; --k) {
          std::swap(map[members[k - 1]], map[members[rng.below(k)]]);
        }
      }
      maps.push_back(std::move(map));
    }
    return maps;
  }
  for (const auto& [name, members] : groups) {
    std::vector<DeviceMap> longer;
    for (const DeviceMap& map : maps) {
      std::vector<std::size_t> image = members;
      do {
        DeviceMap next = map;
        for (std::size_t k = 0; k < members.size(); ++k) {
          next[members[k]] = image[k];
        }
        longer.push_back(std::move(next));
      } while (std::ranges::next_permutation(image).found);
    }
    maps = std::move(longer);
  }
  return maps;
}

/// Joins piece by piece.
class Joiner {
 public:
  Joiner(const PlacementProblem& problem, const Pieces& pieces, bool ordered, Rng& rng)
      : problem_(&problem),
        pieces_(&pieces),
        alike_(exchangeable_devices(problem)),
        exchanges_(exchanges(alike_, rng)),
        make_part_(problem),
        is_placed_(problem.graph.num_ops(), 0) {
    whole_.device.resize(problem.graph.num_ops());
    whole_.order.resize(ordered ? problem.graph.num_ops() : 0);
  }

  /// Adds a piece. @param most simulations.
  void add(std::size_t piece, std::span<const Placement> candidates, std::uint64_t most) {
    const auto tries = static_cast<std::size_t>(most / candidates.size());
    Choice best{&candidates.front(), cheapest_exchange(piece, candidates.front())};
    if (tries > 0) {
      double least = std::numeric_limits<double>::infinity();
      Simulator& simulator = window(piece);
      const auto attempt = [&](const Placement& candidate, const DeviceMap& map) {
        const double makespan = in_window(piece, candidate, map, simulator);
        if (makespan < least) {
          least = makespan;
          best = {&candidate, map};
        }
      };
      for (const Placement& candidate : candidates) {
        const DeviceMap cheapest = cheapest_exchange(piece, candidate);
        attempt(candidate, cheapest);
        std::size_t tried = 1;
        for (std::size_t i = 0; i < exchanges_.size() && tried < tries; ++i) {
          if (exchanges_[i] != cheapest) {
            attempt(candidate, exchanges_[i]);
            ++tried;
          }
        }
      }
    }
    put(piece, best);
  }

  [[nodiscard]] Joined result() const { return {whole_, simulations_}; }

 private:
  struct Choice {
    const Placement* placement;
    DeviceMap map;
  };

  [[nodiscard]] bool ordered() const { return !whole_.order.empty(); }

  /// The exchange that transfers least from the pieces before, by the transfers' time.
  [[nodiscard]] DeviceMap cheapest_exchange(std::size_t piece, const Placement& placement) const {
    constexpr std::size_t kMostDevices = 64;  // The assignment takes the cube of them.
    const std::size_t devices = alike_.size();
    if (piece == 0 || exchanges_.size() == 1 || devices > kMostDevices) {
      return exchanges_.front();
    }
    const Graph& graph = problem_->graph;
    std::vector<double> cost(devices * devices, 0.0);
    const std::vector<OpId>& ops = pieces_->ops[piece];
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const std::size_t v = index(ops[i]);
      for (std::uint64_t k = graph.in_offsets()[v]; k < graph.in_offsets()[v + 1]; ++k) {
        const std::size_t from = index(graph.in_sources()[k]);
        if (is_placed_[from] == 0) {
          continue;  // of this piece
        }
        const double size = graph.edge_size()[index(graph.in_edges()[k])];
        for (std::size_t d = 0; d < devices; ++d) {
          cost[index(placement.device[i]) * devices + d] +=
              problem_->costs.transfer(size, whole_.device[from], to_id<DeviceId>(d));
        }
      }
    }
    for (std::size_t a = 0; a < devices; ++a) {
      for (std::size_t b = 0; b < devices; ++b) {
        if (alike_[a] != alike_[b]) {
          cost[a * devices + b] = std::numeric_limits<double>::infinity();
        }
      }
    }
    return baselines::min_cost_assignment(cost, devices);
  }

  /// A simulator of the piece and the one before it.
  Simulator& window(std::size_t piece) {
    window_ops_ = piece > 0 ? pieces_->ops[piece - 1] : std::vector<OpId>{};
    window_ops_.insert(window_ops_.end(), pieces_->ops[piece].begin(), pieces_->ops[piece].end());
    auto part = make_part_(window_ops_);
    auto& [kept, simulator] = windows_[key_of(*part)];
    if (kept == nullptr) {
      kept = std::move(part);
      simulator = std::make_unique<Simulator>(*kept);
    }
    return *simulator;
  }

  double in_window(std::size_t piece,
                   const Placement& candidate,
                   const DeviceMap& map,
                   Simulator& simulator) {
    const std::size_t before = window_ops_.size() - pieces_->ops[piece].size();
    device_.resize(window_ops_.size());
    order_.resize(ordered() ? window_ops_.size() : 0);
    for (std::size_t i = 0; i < window_ops_.size(); ++i) {
      const std::size_t own = i - before;
      device_[i] = i < before ? whole_.device[index(window_ops_[i])]
                              : to_id<DeviceId>(map[index(candidate.device[own])]);
      if (ordered()) {
        order_[i] = i < before ? whole_.order[index(window_ops_[i])] : next_ + candidate.order[own];
      }
    }
    ++simulations_;
    return simulator.makespan(device_, order_);
  }

  void put(std::size_t piece, const Choice& choice) {
    const std::vector<OpId>& ops = pieces_->ops[piece];
    double last = next_;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      is_placed_[index(ops[i])] = 1;
      whole_.device[index(ops[i])] =
          to_id<DeviceId>(choice.map[index(choice.placement->device[i])]);
      if (ordered()) {
        whole_.order[index(ops[i])] = next_ + choice.placement->order[i];
        last = std::max(last, whole_.order[index(ops[i])]);
      }
    }
    next_ = last + 1.0;
  }

  const PlacementProblem* problem_;
  const Pieces* pieces_;
  std::vector<std::uint32_t> alike_;
  std::vector<DeviceMap> exchanges_;  ///< The identity first.
  PartMaker make_part_;
  std::vector<std::uint8_t> is_placed_;
  Placement whole_;
  double next_ = 0.0;  ///< Orders of the next piece start here.
  std::vector<OpId> window_ops_;
  std::map<std::uint64_t,
           std::pair<std::shared_ptr<const PlacementProblem>, std::unique_ptr<Simulator>>>
      windows_;
  std::vector<DeviceId> device_;
  std::vector<double> order_;
  std::uint64_t simulations_ = 0;
};

}  // namespace

Pieces pieces_of(const PlacementProblem& problem) {
  Pieces pieces;
  pieces.ops = graph_pieces(problem);
  if (pieces.ops.size() < 2) {
    return pieces;
  }
  PartMaker make_part(problem);
  std::map<std::uint64_t, std::size_t> known;
  for (const std::vector<OpId>& ops : pieces.ops) {
    auto part = make_part(ops);
    const auto [found, is_new] = known.emplace(key_of(*part), pieces.parts.size());
    pieces.which.push_back(found->second);
    if (is_new) {
      pieces.parts.push_back(std::move(part));
    }
  }
  return pieces;
}

Joined join_pieces(const PlacementProblem& problem,
                   const Pieces& pieces,
                   std::span<const std::vector<Placement>> candidates,
                   std::uint64_t most,
                   const std::function<bool()>& late,
                   Rng& rng) {
  Joiner joiner(problem, pieces, !candidates.front().front().order.empty(), rng);
  const std::uint64_t each = most / pieces.ops.size();
  for (std::size_t p = 0; p < pieces.ops.size(); ++p) {
    joiner.add(p, candidates[pieces.which[p]], late() ? 0 : each);
  }
  return joiner.result();
}

}  // namespace berth::doppler

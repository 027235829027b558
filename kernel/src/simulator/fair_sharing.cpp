// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "fair_sharing.hpp"

#include <algorithm>

namespace berth::internal {
namespace {

/// Size units per time unit that a bandwidth of 1 byte/s stands for: see price().
double speed_scale(const PlacementProblem& problem) {
  if (problem.graph.cost_basis() == CostBasis::kPhysical) {
    return 1.0;
  }
  double fastest = 0.0;
  const std::size_t devices = problem.costs.num_devices;
  for (std::size_t pair = 0; pair < devices * devices; ++pair) {
    const auto from = to_id<DeviceId>(pair / devices);
    const auto to = to_id<DeviceId>(pair % devices);
    if (from != to) {
      fastest = std::max(fastest, problem.topology.bandwidth(from, to).value);
    }
  }
  return 1.0 / fastest;
}

}  // namespace

FairSharing::FairSharing(const PackedProblem& packed)
    : devices_(packed.num_devices),
      pairs_(devices_ * devices_),
      links_(packed.problem->topology.num_links()),
      route_begin_(devices_ * devices_ + 1, 0),
      outgoing_(devices_) {
  const PlacementProblem& problem = *packed.problem;
  const double scale = devices_ > 1 ? speed_scale(problem) : 1.0;
  for (std::size_t l = 0; l < links_.size(); ++l) {
    links_[l].capacity = problem.topology.link(to_id<LinkId>(l)).bandwidth.value * scale;
  }
  for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
    const auto from = to_id<DeviceId>(pair / devices_);
    const auto to = to_id<DeviceId>(pair % devices_);
    if (from != to) {
      pairs_[pair].limit = 1.0 / packed.inverse_speed[pair];
      for (const LinkId link : problem.topology.route(from, to)) {
        route_.push_back(static_cast<std::uint32_t>(index(link)));
        // A calibrated pair may be faster than the data sheet of its links.
        double& capacity = links_[index(link)].capacity;
        capacity = std::max(capacity, pairs_[pair].limit);
      }
    }
    route_begin_[pair + 1] = static_cast<std::uint32_t>(route_.size());
  }
  std::vector<std::uint32_t> users(links_.size(), 0);
  for (const std::uint32_t link : route_) {
    ++users[link];
  }
  for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
    double own = kInfinity;
    for (std::uint32_t i = route_begin_[pair]; i < route_begin_[pair + 1]; ++i) {
      own = std::min(own, users[route_[i]] == 1 ? links_[route_[i]].capacity : 0.0);
    }
    pairs_[pair].own = own;
  }
  flows_.reserve(max_flows(packed));
  meeting_.reserve(pairs_.size());
  active_.reserve(pairs_.size());
  bound_.reserve(pairs_.size());
  path_.reserve(max_flows(packed));
}

std::size_t FairSharing::max_flows(const PackedProblem& packed) noexcept {
  return std::min(packed.edges.size(), packed.num_ops * (packed.num_devices - 1));
}

void FairSharing::reset() noexcept {
  for (Pair& pair : pairs_) {
    pair.top = kNone;
    pair.flows = 0;
  }
  active_.clear();
  flows_.clear();
  changed_ = false;
  next_time_ = kInfinity;
}

void FairSharing::send(RunState& run, std::size_t producer, double now) {
  const PackedProblem& packed = *run.packed;
  const std::uint32_t from = run.op[producer].device;
  for (std::uint64_t e = packed.ops[producer].out_begin; e < packed.ops[producer + 1].out_begin;
       ++e) {
    if (run.op[packed.edges[e].target].device == from) {
      run.arrive(packed.edges[e].target, now);
    }
  }
  for (const auto& transfer : outgoing_.gather(packed, run.op.data(), producer)) {
    const PackedEdge& edge = packed.edges[transfer.edge];
    const std::size_t pair = from * devices_ + transfer.to;
    const double start = now + static_cast<double>(edge.scale) * packed.latency[pair];
    run.events.push(event_key(start, EventKind::kJoin, flows_.size()));
    flows_.push_back({static_cast<std::uint32_t>(producer),
                      transfer.to,
                      transfer.consumer,
                      kNone,
                      kNone,
                      edge.size,
                      0.0,
                      now,
                      start});
  }
}

void FairSharing::join(RunState& run, std::size_t id, double now) {
  Flow& flow = flows_[id];
  const std::size_t at = run.op[flow.producer].device * devices_ + flow.to;
  Pair& pair = pairs_[at];
  if (flow.size == 0.0 || pair.limit == kInfinity) {
    finish(run, flow, now);
    return;
  }
  if (pair.flows == 0) {
    active_.insert(std::lower_bound(active_.begin(), active_.end(), at),
                   static_cast<std::uint32_t>(at));
    pair.rate = 0.0;
    pair.served = 0.0;
    pair.due = kInfinity;
    pair.since = now;
  }
  flow.level = pair.served + pair.rate * (now - pair.since) + flow.size;
  pair.top = meld(pair.top, static_cast<std::uint32_t>(id));
  ++pair.flows;
  changed_ = true;
}

bool FairSharing::ends_before(std::uint32_t a, std::uint32_t b) const noexcept {
  return flows_[a].level != flows_[b].level ? flows_[a].level < flows_[b].level : a < b;
}

std::uint32_t FairSharing::meld(std::uint32_t a, std::uint32_t b) noexcept {
  // Merge the right spines top down, then swap the children of all nodes on the merged spine.
  path_.clear();
  while (a != kNone && b != kNone) {
    if (ends_before(b, a)) {
      std::swap(a, b);
    }
    path_.push_back(a);
    a = flows_[a].right;
  }
  std::uint32_t root = a == kNone ? b : a;
  for (auto node = path_.rbegin(); node != path_.rend(); ++node) {
    flows_[*node].right = flows_[*node].left;
    flows_[*node].left = root;
    root = *node;
  }
  return root;
}

void FairSharing::finish(RunState& run, const Flow& flow, double now) {
  run.record_transfer(flow.producer, flow.consumer, flow.request, flow.start, now);
  const PackedProblem& packed = *run.packed;
  for (std::uint64_t e = packed.ops[flow.producer].out_begin;
       e < packed.ops[flow.producer + 1].out_begin;
       ++e) {
    if (run.op[packed.edges[e].target].device == flow.to) {
      run.arrive(packed.edges[e].target, now);
    }
  }
}

void FairSharing::advance(RunState& run, double now) {
  if (next_time_ <= now) {
    for (const std::uint32_t at : active_) {
      Pair& pair = pairs_[at];
      if (pair.due > now) {
        continue;
      }
      const double level = flows_[pair.top].level;
      while (pair.top != kNone && flows_[pair.top].level == level) {
        const std::uint32_t id = pair.top;
        pair.top = meld(flows_[id].left, flows_[id].right);
        --pair.flows;
        finish(run, flows_[id], now);
      }
    }
    std::erase_if(active_, [this](std::uint32_t at) { return pairs_[at].flows == 0; });
    changed_ = true;
  }
  if (changed_) {
    changed_ = false;
    share(now);
  }
}

void FairSharing::share(double now) {
  next_time_ = kInfinity;
  meeting_.clear();
  for (const std::uint32_t at : active_) {
    Pair& pair = pairs_[at];
    if (pair.own > 0.0) {
      set_rate(pair, std::min(pair.limit, pair.own / pair.flows), now);
    } else {
      meeting_.push_back(at);
    }
  }
  for (const std::uint32_t at : meeting_) {
    pairs_[at].fixed = false;
    for (std::uint32_t i = route_begin_[at]; i < route_begin_[at + 1]; ++i) {
      links_[route_[i]].left = links_[route_[i]].capacity;
      links_[route_[i]].flows = 0;
    }
  }
  for (const std::uint32_t at : meeting_) {
    for (std::uint32_t i = route_begin_[at]; i < route_begin_[at + 1]; ++i) {
      links_[route_[i]].flows += pairs_[at].flows;
    }
  }
  const auto fair_rate = [this](std::uint32_t at) {
    double rate = pairs_[at].limit;
    for (std::uint32_t i = route_begin_[at]; i < route_begin_[at + 1]; ++i) {
      const Link& link = links_[route_[i]];
      rate = std::min(rate, std::max(link.left, 0.0) / link.flows);
    }
    return rate;
  };
  for (std::size_t open = meeting_.size(); open > 0;) {
    double least = kInfinity;
    for (const std::uint32_t at : meeting_) {
      least = pairs_[at].fixed ? least : std::min(least, fair_rate(at));
    }
    // All pairs that the tightest bottleneck binds are found before links are charged for any, so
    // that rounding cannot part equals.
    bound_.clear();
    for (const std::uint32_t at : meeting_) {
      if (!pairs_[at].fixed && fair_rate(at) == least) {
        bound_.push_back(at);
      }
    }
    open -= bound_.size();
    for (const std::uint32_t at : bound_) {
      pairs_[at].fixed = true;
      set_rate(pairs_[at], least, now);
      for (std::uint32_t i = route_begin_[at]; i < route_begin_[at + 1]; ++i) {
        Link& link = links_[route_[i]];
        link.left -= least * pairs_[at].flows;
        link.flows -= pairs_[at].flows;
      }
    }
  }
}

void FairSharing::set_rate(Pair& pair, double rate, double now) {
  if (rate != pair.rate) {
    pair.served += pair.rate * (now - pair.since);
    pair.since = now;
    pair.rate = rate;
  }
  const double left = flows_[pair.top].level - pair.served;
  pair.due = std::max(now, pair.since + left / rate);
  next_time_ = std::min(next_time_, pair.due);
}

}  // namespace berth::internal

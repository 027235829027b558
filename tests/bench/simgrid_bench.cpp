// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Berth's `fair` and `delay` beside SimGrid's s4u activities: the same graphs and placements, the
// device order of Berth's fifo run as extra dependencies (SimGrid shares a busy host among its
// activities instead of queueing them), one transfer for each (producer, destination device), links
// without latency, SimGrid's plain max-min network model. Least time of several runs each.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <numeric>
#include <simgrid/s4u.hpp>

#include "berth/simulator.hpp"

#include "bench_problems.hpp"
#include "reference/simulator/doppler_sample.hpp"
#include "reference_data.hpp"

namespace {

namespace sg4 = simgrid::s4u;
using namespace berth;

constexpr std::size_t kDevices = 4;
constexpr double kHostSpeed = 1e9;  // flop/s, and links of as many bytes/s

/// CPU time of this process: other load on the machine must not count.
double now_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::vector<sg4::Host*> build_mesh() {
  auto* zone = sg4::create_full_zone("mesh");
  std::vector<sg4::Host*> hosts;
  for (std::size_t d = 0; d < kDevices; ++d) {
    hosts.push_back(zone->create_host("d" + std::to_string(d), kHostSpeed)->seal());
  }
  for (sg4::Host* a : hosts) {
    for (sg4::Host* b : hosts) {
      if (a != b) {
        auto* link = zone->create_link(a->get_name() + b->get_name(), kHostSpeed)->seal();
        zone->add_route(a->get_netpoint(),
                        b->get_netpoint(),
                        nullptr,
                        nullptr,
                        {sg4::LinkInRoute(link)},
                        /*symmetrical=*/false);
      }
    }
  }
  zone->seal();
  return hosts;
}

struct Result {
  double makespan = 0.0;  ///< Time units.
  double seconds = 0.0;   ///< Spent.
};

Result run_simgrid(sg4::Engine& engine,
                   const std::vector<sg4::Host*>& hosts,
                   const Graph& graph,
                   const std::vector<DeviceId>& device,
                   const std::vector<double>& order) {
  // SimGrid's clock resolves a nanosecond: stretch graphs of small numbers to seconds.
  const std::span<const double> work = graph.work();
  const double largest = *std::max_element(work.begin(), work.end());
  const double scale = std::max(1.0, std::floor(kHostSpeed / largest));
  const double begin = now_seconds();
  const double clock = sg4::Engine::get_clock();
  std::vector<sg4::ExecPtr> execs;
  std::vector<sg4::CommPtr> comms;
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    execs.push_back(sg4::Exec::init());
    execs[v]->set_flops_amount(graph.work()[v] * scale)->set_host(hosts[index(device[v])]);
  }
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    std::map<DeviceId, std::pair<double, std::vector<std::size_t>>> outputs;
    for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
      const std::size_t w = index(graph.out_targets()[e]);
      auto& [size, consumers] = outputs[device[w]];
      size = std::max(size, graph.edge_size()[e]);
      consumers.push_back(w);
    }
    for (const auto& [to, output] : outputs) {
      if (to == device[v]) {
        for (const std::size_t w : output.second) {
          execs[v]->add_successor(execs[w]);
        }
        continue;
      }
      comms.push_back(sg4::Comm::sendto_init(hosts[index(device[v])], hosts[index(to)]));
      comms.back()->set_payload_size(static_cast<std::uint64_t>(output.first * scale));
      execs[v]->add_successor(comms.back());
      for (const std::size_t w : output.second) {
        comms.back()->add_successor(execs[w]);
      }
    }
  }
  std::vector<std::size_t> by_order(graph.num_ops());
  std::iota(by_order.begin(), by_order.end(), std::size_t{0});
  std::sort(by_order.begin(), by_order.end(), [&](std::size_t a, std::size_t b) {
    return order[a] != order[b] ? order[a] < order[b] : a < b;
  });
  std::vector<std::size_t> last(kDevices, graph.num_ops());
  for (const std::size_t v : by_order) {
    std::size_t& before = last[index(device[v])];
    const auto successors =
        before < graph.num_ops() ? graph.successors(to_id<OpId>(before)) : std::span<const OpId>();
    // The same dependency twice aborts SimGrid.
    if (before < graph.num_ops() &&
        std::find(successors.begin(), successors.end(), to_id<OpId>(v)) == successors.end()) {
      execs[before]->add_successor(execs[v]);
    }
    before = v;
  }
  for (const auto& comm : comms) {
    comm->vetoable_start();
  }
  for (const auto& exec : execs) {
    exec->vetoable_start();
  }
  engine.run();
  return {(sg4::Engine::get_clock() - clock) * kHostSpeed / scale, now_seconds() - begin};
}

/// Seconds of a makespan under fifo: mean over many placements, so that no branch predictor knows
/// them by heart; least of several rounds.
double time_berth(Simulator& simulator, std::size_t ops) {
  const auto placements = bench::random_placements(ops, kDevices, 64);
  double least = 1e9;
  for (int round = 0; round < 7; ++round) {
    const double start = now_seconds();
    for (const auto& placement : placements) {
      static_cast<void>(simulator.makespan(placement));
    }
    least = std::min(least, now_seconds() - start);
  }
  return least / static_cast<double>(placements.size());
}

void compare(sg4::Engine& engine, const std::vector<sg4::Host*>& hosts, const Graph& graph) {
  const auto device = bench::random_placements(graph.num_ops(), kDevices, 1).front();
  const auto problem_under = [&graph](ExecutionModel model) {
    ExecutionOptions execution;
    execution.model = model;
    return make_problem(graph.name(), graph, Topology::uniform(kDevices), execution);
  };
  const auto fair_problem = problem_under(ExecutionModel::kFair);
  const auto delay_problem = problem_under(ExecutionModel::kDelay);
  Simulator fair(*fair_problem);
  Simulator delay(*delay_problem);
  std::vector<double> order;
  for (const OpInterval& op : fair.trace({device, {}}).ops) {
    order.push_back(op.start);
  }
  const double makespan = fair.makespan(device, order);
  const double fair_seconds = time_berth(fair, graph.num_ops());
  const double delay_seconds = time_berth(delay, graph.num_ops());
  Result theirs = run_simgrid(engine, hosts, graph, device, order);
  for (int again = 0; again < 4; ++again) {
    const Result next = run_simgrid(engine, hosts, graph, device, order);
    theirs = next.seconds < theirs.seconds ? next : theirs;
  }
  std::printf("%-36s %9.1f us %9.1f us %11.1f us %9.0fx %9.0fx   %.3e\n",
              graph.name().c_str(),
              delay_seconds * 1e6,
              fair_seconds * 1e6,
              theirs.seconds * 1e6,
              theirs.seconds / fair_seconds,
              theirs.seconds / delay_seconds,
              std::abs(theirs.makespan / makespan - 1.0));
}

}  // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/TCP-gamma:0");
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::Engine::set_config("network/bandwidth-factor:1");
  sg4::Engine::set_config("network/latency-factor:1");
  sg4::Engine::set_config("network/weight-S:0");
  const std::vector<sg4::Host*> hosts = build_mesh();
  std::printf("%-36s %12s %12s %14s %10s %10s   %s\n",
              "graph",
              "delay",
              "fair",
              "SimGrid",
              "/ fair",
              "/ delay",
              "makespan differs by");
  const auto folder = reference_data() / "doppler";
  for (const char* name : {"gdp_chain_mm_112nodes",
                           "gdp_ffnn_192nodes",
                           "gdp_transformer_block_215nodes",
                           "gdp_full_transformer_layer_261nodes"}) {
    if (std::filesystem::exists(folder / (std::string(name) + ".txt"))) {
      compare(engine, hosts, read_doppler_sample(folder / (std::string(name) + ".txt")));
    }
  }
  for (const std::size_t ops : {300U, 3000U}) {
    compare(engine, hosts, bench::layered_graph(ops, 7));
  }
  return 0;
}

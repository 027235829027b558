// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/partition_problem.hpp"

#include <algorithm>
#include <cmath>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

class Checker {
 public:
  explicit Checker(const PartitionProblem& problem) : problem_(problem) {}

  void run() const {
    if (problem_.nodes.empty() || problem_.widths.empty()) {
      refuse("no node or no tensor width; expected at least one of each");
    }
    if (problem_.accelerators == 0 && problem_.hosts == 0) {
      refuse("no accelerator and no host; expected at least one device");
    }
    if (problem_.micro_batches == 0) {
      refuse("0 micro-batches; expected 1 or more");
    }
    number(problem_.memory_bytes, "device memory");
    number(problem_.gradient_seconds_per_byte, "gradient seconds per byte");
    for (std::size_t w = 0; w < problem_.widths.size(); ++w) {
      if (problem_.widths[w] == 0 || (w > 0 && problem_.widths[w] < problem_.widths[w - 1])) {
        refuse("tensor widths descend or are 0; expected 1, 2, ...");
      }
    }
    for (std::size_t v = 0; v < problem_.nodes.size(); ++v) {
      node(v);
    }
    for (const PartitionTransfer& transfer : problem_.transfers) {
      const std::size_t nodes = problem_.nodes.size();
      bool known = transfer.from < nodes && !transfer.to.empty();
      for (const std::uint32_t to : transfer.to) {
        known = known && to < nodes && to != transfer.from;
      }
      if (!known) {
        refuse("a transfer from node " + std::to_string(transfer.from) +
               " to nobody, itself or an unknown node; expected other nodes of the graph");
      }
      number(transfer.seconds, "a transfer from " + problem_.nodes[transfer.from].name);
    }
    circle();
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(problem_.model + ": " + what);
  }
  void number(double value, const std::string& what) const {
    if (!(value >= 0.0) || !std::isfinite(value)) {
      refuse(what + " is " + std::to_string(value) + "; expected a finite number, zero or more");
    }
  }

  void node(std::size_t v) const {
    const PartitionNode& node = problem_.nodes[v];
    if (node.variants.size() != problem_.widths.size() || node.group >= problem_.nodes.size()) {
      refuse("node " + node.name +
             " has not one list of variants per width, or an unknown group; "
             "expected both");
    }
    if (!(node.host_seconds >= 0.0)) {
      refuse("node " + node.name + ": host time is negative; expected zero or more");
    }
    bool runs = problem_.hosts > 0 && std::isfinite(node.host_seconds);
    for (const std::vector<PartitionVariant>& choices : node.variants) {
      runs = runs || (!choices.empty() && problem_.accelerators > 0);
      for (const PartitionVariant& choice : choices) {
        number(choice.seconds, "time of node " + node.name);
        number(choice.parameter_bytes, "parameter size of node " + node.name);
        number(choice.stash_bytes, "activation size of node " + node.name);
        number(choice.fixed_bytes, "size of node " + node.name);
        for (const auto& [transfer, seconds] : choice.at_border) {
          if (transfer >= problem_.transfers.size()) {
            refuse("node " + node.name + " names an unknown transfer; expected one of the graph");
          }
          number(seconds, "synchronisation time of node " + node.name);
        }
      }
    }
    if (!runs) {
      refuse("node " + node.name + " can run on no device; expected at least one kind that can");
    }
  }

  // Groups must be placeable one after the other along the forward transfers.
  void circle() const {
    const std::size_t nodes = problem_.nodes.size();
    std::vector<std::vector<std::uint32_t>> after(nodes);
    std::vector<std::size_t> waiting(nodes, 0);
    for (const PartitionTransfer& transfer : problem_.transfers) {
      for (const std::uint32_t to : transfer.to) {
        const std::uint32_t a = problem_.nodes[transfer.from].group;
        const std::uint32_t b = problem_.nodes[to].group;
        if (!problem_.nodes[transfer.from].backward && !problem_.nodes[to].backward && a != b) {
          after[a].push_back(b);
          ++waiting[b];
        }
      }
    }
    std::vector<std::uint32_t> ready;
    for (std::uint32_t g = 0; g < nodes; ++g) {
      if (waiting[g] == 0) {
        ready.push_back(g);
      }
    }
    std::size_t done = 0;
    while (!ready.empty()) {
      const std::uint32_t g = ready.back();
      ready.pop_back();
      ++done;
      for (const std::uint32_t next : after[g]) {
        if (--waiting[next] == 0) {
          ready.push_back(next);
        }
      }
    }
    if (done != nodes) {
      for (const PartitionNode& node : problem_.nodes) {
        if (waiting[node.group] > 0) {
          refuse("node " + node.name +
                 " is on or behind a circle of forward transfers; expected an acyclic graph");
        }
      }
    }
  }

  const PartitionProblem& problem_;
};

}  // namespace

void check_partition_problem(const PartitionProblem& problem) {
  Checker(problem).run();
}

}  // namespace abi_v1
}  // namespace berth

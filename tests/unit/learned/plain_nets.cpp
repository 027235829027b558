// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plain_nets.hpp"

#include <algorithm>
#include <cmath>

#include "device_codes.hpp"

namespace berth::learned {
namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

Row relu(Row x) {
  for (double& value : x) {
    value = std::max(0.0, value);
  }
  return x;
}

Row sum(Row a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] += b[i];
  }
  return a;
}

Row joined(Row a, const Row& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::size_t> near(const doppler::RowSums& rows, std::size_t v) {
  return {rows.columns.begin() + rows.offsets[v], rows.columns.begin() + rows.offsets[v + 1]};
}

Rows message_rounds(const Rows& t,
                    const doppler::RowSums& sources,
                    const PlainWeights& weights,
                    const std::string& name,
                    std::size_t rounds) {
  Rows y = t;
  for (std::size_t round = 0; round < rounds; ++round) {
    Rows next;
    for (std::size_t v = 0; v < t.size(); ++v) {
      Row messages(t[v].size(), 0.0);
      for (const std::size_t u : near(sources, v)) {
        messages = sum(messages, relu(weights.two_layers(y[u], name + "/message")));
      }
      next.push_back(sum(t[v], relu(weights.two_layers(messages, name + "/update"))));
    }
    y = next;
  }
  return y;
}

Row normalised(const Row& x, const PlainWeights& weights, const std::string& name) {
  double mean = 0.0;
  for (const double value : x) {
    mean += value / static_cast<double>(x.size());
  }
  double square = 0.0;
  for (const double value : x) {
    square += (value - mean) * (value - mean) / static_cast<double>(x.size());
  }
  Row out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    out.push_back((x[i] - mean) / std::sqrt(square + 1e-5) * (1.0 + weights.at(name + "/gain")[i]) +
                  weights.at(name + "/bias")[i]);
  }
  return out;
}

Row attended(const Row& own, const Rows& seen, const PlainWeights& weights, std::size_t heads) {
  const Row query = weights.linear(own, "attention/query");
  const std::size_t width = query.size() / heads;
  Row mixed(query.size(), 0.0);
  for (std::size_t head = 0; head < heads; ++head) {
    Row share;
    double all = 0.0;
    for (const Row& other : seen) {
      const Row key = weights.linear(other, "attention/key");
      double dot = 0.0;
      for (std::size_t i = head * width; i < (head + 1) * width; ++i) {
        dot += query[i] * key[i];
      }
      share.push_back(std::exp(dot / std::sqrt(static_cast<double>(width))));
      all += share.back();
    }
    for (std::size_t j = 0; j < seen.size(); ++j) {
      const Row value = weights.linear(seen[j], "attention/value");
      for (std::size_t i = head * width; i < (head + 1) * width; ++i) {
        mixed[i] += share[j] / all * value[i];
      }
    }
  }
  return weights.linear(mixed, "attention/output");
}

/// One-hot among eight columns; each further eight devices turned by a golden angle in the planes
/// (0, 1), (2, 3), ...
Row plain_code(std::size_t device) {
  const double angle = std::acos(-1.0) * (3.0 - std::sqrt(5.0)) * static_cast<double>(device / 8);
  Row code(8, 0.0);
  const std::size_t pair = device % 8 / 2 * 2;
  if (device % 2 == 0) {
    code[pair] = std::cos(angle);
    code[pair + 1] = std::sin(angle);
  } else {
    code[pair] = -std::sin(angle);
    code[pair + 1] = std::cos(angle);
  }
  return code;
}

Row plain_logits(const Row& answer, const NetGraph& graph, std::size_t op) {
  Row logits;
  for (std::size_t d = 0; d < graph.num_devices; ++d) {
    const Row code = plain_code(d);
    double logit = 0.0;
    for (std::size_t j = 0; j < code.size(); ++j) {
      logit += answer[j] * code[j];
    }
    if (!graph.device_times.empty()) {
      logit += answer[code.size()] * graph.device_times[op * graph.num_devices + d];
    }
    logits.push_back(logit);
  }
  return logits;
}

}  // namespace

std::vector<double> PlainWeights::linear(const std::vector<double>& x,
                                         const std::string& name) const {
  const double* weight = at(name + "/weight");
  const double* bias = at(name + "/bias");
  Row y(bias, bias + layout_->find(name + "/bias").size);
  for (std::size_t o = 0; o < y.size(); ++o) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[o] += weight[o * x.size() + i] * x[i];
    }
  }
  return y;
}

std::vector<double> PlainWeights::two_layers(const std::vector<double>& x,
                                             const std::string& name) const {
  return linear(relu(linear(x, name + "/0")), name + "/1");
}

std::vector<double> plain_placeto(const PlacetoSizes& sizes,
                                  const NetGraph& graph,
                                  const PlainWeights& weights,
                                  const std::vector<std::uint32_t>& device,
                                  std::size_t step) {
  const auto current = static_cast<std::size_t>(graph.order[step]);
  Rows t;
  Rows place;
  for (std::size_t u = 0; u < graph.num_ops; ++u) {
    Row row(graph.features.begin() + static_cast<std::ptrdiff_t>(u * graph.columns),
            graph.features.begin() + static_cast<std::ptrdiff_t>((u + 1) * graph.columns));
    const auto placed_at = static_cast<std::size_t>(graph.step[u]);
    const Row code = placed_at < step ? plain_code(device[placed_at]) : Row(kDeviceCode, 0.0);
    place.push_back(code);
    if (sizes.every_step) {
      row = joined(row, code);
      row.push_back(u == current ? 1.0 : 0.0);
      row.push_back(placed_at < step ? 1.0 : 0.0);
    }
    t.push_back(weights.two_layers(row, "node"));
  }
  const Rows down = message_rounds(t, graph.from_predecessors, weights, "forward", sizes.rounds);
  const Rows up = message_rounds(t, graph.from_successors, weights, "backward", sizes.rounds);
  Rows rows;
  for (std::size_t u = 0; u < graph.num_ops; ++u) {
    rows.push_back(joined(down[u], up[u]));
    if (!sizes.every_step) {
      rows.back() = joined(rows.back(), place[u]);
    }
  }
  Row state;
  for (const std::string set : {"parents", "children", "parallel"}) {
    std::vector<std::size_t> members =
        near(set == "parents" ? graph.from_predecessors : graph.from_successors, current);
    if (set == "parallel") {
      members.clear();
      for (std::size_t u = 0; u < graph.num_ops && sizes.sees_parallel; ++u) {
        if (!graph.is_related(current, u)) {
          members.push_back(u);
        }
      }
    }
    Row gathered(rows[current].size(), 0.0);
    for (const std::size_t u : members) {
      gathered = sum(gathered, relu(weights.two_layers(rows[u], "gather/" + set + "/message")));
    }
    state = joined(state,
                   sum(weights.two_layers(rows[current], "gather/" + set + "/own"),
                       relu(weights.two_layers(gathered, "gather/" + set + "/update"))));
  }
  return plain_logits(weights.two_layers(joined(state, rows[current]), "head"), graph, current);
}

PlainGdp plain_gdp(const GdpSizes& sizes,
                   const NetGraph& graph,
                   const PlainWeights& weights,
                   const std::vector<std::vector<double>>* before) {
  Rows h;
  for (std::size_t v = 0; v < graph.num_ops; ++v) {
    h.push_back(weights.linear(
        Row(graph.features.begin() + static_cast<std::ptrdiff_t>(v * graph.columns),
            graph.features.begin() + static_cast<std::ptrdiff_t>((v + 1) * graph.columns)),
        "input"));
  }
  Rows joint;
  for (std::size_t v = 0; v < graph.num_ops; ++v) {
    std::vector<std::size_t> all = near(graph.from_predecessors, v);
    for (const std::size_t u : near(graph.from_successors, v)) {
      all.push_back(u);
    }
    if (all.size() == 1 && sizes.drops_single_neighbour) {
      all.clear();
    }
    Row most(sizes.hidden, 0.0);
    for (const std::size_t u : all) {
      const Row sent = weights.linear(h[u], "gather");
      for (std::size_t i = 0; i < most.size(); ++i) {
        most[i] = std::max(most[i], 1.0 / (1.0 + std::exp(-sent[i])));
      }
    }
    joint.push_back(weights.linear(joined(h[v], most), "join"));
  }
  PlainGdp result;
  for (std::size_t step = 0; step < graph.num_ops; ++step) {
    const std::size_t begin = step / sizes.segment * sizes.segment;
    Rows seen;
    for (std::size_t s = begin < sizes.segment ? 0 : begin - sizes.segment; s < begin; ++s) {
      seen.push_back(before != nullptr ? (*before)[s] : result.output[s]);
    }
    for (std::size_t s = begin; s < std::min(graph.num_ops, begin + sizes.segment); ++s) {
      seen.push_back(joint[static_cast<std::size_t>(graph.order[s])]);
    }
    const Row& own = joint[static_cast<std::size_t>(graph.order[step])];
    const Row mixed =
        normalised(sum(own, attended(own, seen, weights, sizes.heads)), weights, "attention/norm");
    const Row widened = weights.linear(relu(weights.linear(mixed, "widen/0")), "widen/1");
    result.output.push_back(normalised(sum(mixed, widened), weights, "widen/norm"));
    result.logits.push_back(plain_logits(weights.linear(result.output.back(), "output"),
                                         graph,
                                         static_cast<std::size_t>(graph.order[step])));
  }
  return result;
}

}  // namespace berth::learned

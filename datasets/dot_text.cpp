// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "dot_text.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/error.hpp"

#include "dot_tokens.hpp"
#include "numbers.hpp"
#include "reader_support.hpp"

namespace berth::datasets {
namespace {

/// What Berth takes from an attribute list.
struct Attributes {
  std::map<std::string, double> costs;  ///< By attribute name.
  std::string label;
  std::string kind;

  /// Cost by the first known attribute.
  [[nodiscard]] std::optional<double> cost() const {
    for (const char* name : {"Weight", "weight", "cost", "size"}) {
      const auto found = costs.find(name);
      if (found != costs.end()) {
        return found->second;
      }
    }
    return std::nullopt;
  }
  void override_with(const Attributes& other) {
    for (const auto& [name, value] : other.costs) {
      costs[name] = value;
    }
    label = other.label.empty() ? label : other.label;
    kind = other.kind.empty() ? kind : other.kind;
  }
};

struct Node {
  std::string name;
  Attributes attributes;
  std::size_t line = 0;
};

struct Edge {
  std::size_t from = 0;
  std::size_t to = 0;
  double size = 0.0;
  std::size_t line = 0;
};

class DotParser {
 public:
  explicit DotParser(const SourceText& source) : source_(source), tokens_(source) {}

  Graph parse(Logger& logger) {
    if (tokens_.peek().is_keyword("strict")) {
      tokens_.take();
    }
    if (!tokens_.peek().is_keyword("digraph")) {
      fail("expected 'digraph'");
    }
    tokens_.take();
    std::string name = source_.stem();
    if (tokens_.peek().kind == DotToken::Kind::kId) {
      name = tokens_.take().text;
    }
    expect("{");
    statements();
    if (tokens_.peek().kind != DotToken::Kind::kEnd) {
      fail("expected the end of the file");
    }
    return build(std::move(name), logger);
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    const DotToken& token = tokens_.peek();
    fail_at(source_,
            token.line,
            (token.kind == DotToken::Kind::kEnd ? "the file ends" : shown(token.text)) + "; " +
                expected);
  }
  void expect(std::string_view mark) {
    if (!tokens_.peek().is(mark)) {
      fail("expected '" + std::string(mark) + "'");
    }
    tokens_.take();
  }

  /// Statements up to the brace that closes the graph; subgraphs only group.
  void statements() {
    std::size_t depth = 1;
    while (depth > 0) {
      const DotToken& token = tokens_.peek();
      if (token.is("}") || token.is(";") || token.is("{")) {
        depth += token.is("{") ? 1 : 0;
        depth -= token.is("}") ? 1 : 0;
        tokens_.take();
        if (tokens_.peek().is("->")) {
          fail("expected edges between nodes, not subgraphs");
        }
      } else if (token.is_keyword("subgraph")) {
        tokens_.take();
        if (tokens_.peek().kind == DotToken::Kind::kId) {
          tokens_.take();
        }
        if (!tokens_.peek().is("{")) {
          fail("expected '{'");
        }
      } else {
        statement();
      }
    }
  }

  void statement() {
    if (tokens_.peek().kind != DotToken::Kind::kId) {
      fail("expected a node, an edge or '}'");
    }
    const DotToken first = tokens_.take();
    const bool node_defaults = first.is_keyword("node");
    const bool edge_defaults = first.is_keyword("edge");
    if (node_defaults || edge_defaults || first.is_keyword("graph")) {
      const Attributes given = attribute_lists();
      if (node_defaults || edge_defaults) {
        (node_defaults ? node_defaults_ : edge_defaults_).override_with(given);
      }
      return;
    }
    if (tokens_.peek().is("=")) {  // an attribute of the graph
      tokens_.take();
      id("a value");
      return;
    }
    std::vector<std::size_t> chain = {node(first)};
    while (tokens_.peek().is("->")) {
      tokens_.take();
      if (tokens_.peek().is("{") || tokens_.peek().is_keyword("subgraph")) {
        fail("expected edges between nodes, not subgraphs");
      }
      chain.push_back(node(id("a node")));
    }
    if (tokens_.peek().is("--")) {
      fail("expected '->' (a directed graph)");
    }
    const Attributes given = attribute_lists();
    if (chain.size() == 1) {
      nodes_[chain[0]].attributes.override_with(given);
      return;
    }
    Attributes all = edge_defaults_;
    all.override_with(given);
    for (std::size_t i = 1; i < chain.size(); ++i) {
      edges_.push_back({chain[i - 1], chain[i], all.cost().value_or(0.0), first.line});
    }
  }

  DotToken id(const char* what) {
    if (tokens_.peek().kind != DotToken::Kind::kId) {
      fail(std::string("expected ") + what);
    }
    return tokens_.take();
  }

  /// The node of a name, new or not; a port after it is dropped.
  std::size_t node(const DotToken& name) {
    while (tokens_.peek().is(":")) {
      tokens_.take();
      id("a port");
    }
    const auto [slot, fresh] = node_of_.try_emplace(name.text, nodes_.size());
    if (fresh) {
      nodes_.push_back({name.text, node_defaults_, name.line});
    }
    return slot->second;
  }

  Attributes attribute_lists() {
    Attributes attributes;
    while (tokens_.peek().is("[")) {
      tokens_.take();
      while (!tokens_.peek().is("]")) {
        const DotToken name = id("an attribute or ']'");
        std::string value = "true";
        if (tokens_.peek().is("=")) {
          tokens_.take();
          value = id("a value").text;
        }
        set(attributes, name, value);
        if (tokens_.peek().is(",") || tokens_.peek().is(";")) {
          tokens_.take();
        }
      }
      tokens_.take();
    }
    return attributes;
  }

  void set(Attributes& attributes, const DotToken& name, const std::string& value) {
    if (name.text == "label") {
      attributes.label = value;
    } else if (name.text == "kind") {
      attributes.kind = value;
    } else if (name.text == "Weight" || name.text == "weight" || name.text == "cost" ||
               name.text == "size") {
      const auto number = parse_real(value);
      if (!number || *number < 0.0) {
        fail_at(source_,
                name.line,
                name.text + " is " + shown(value) + "; expected a finite number >= 0");
      }
      attributes.costs[name.text] = *number;
    }
  }

  /// Op id of every node: its name where the names are exactly 0 .. n-1, else its position.
  [[nodiscard]] std::vector<std::size_t> op_ids() const {
    std::vector<std::size_t> by_name;
    std::vector<bool> taken(nodes_.size(), false);
    for (const Node& node : nodes_) {
      const auto number = parse_count(node.name);
      if (!number || *number >= nodes_.size() || taken[*number]) {
        break;
      }
      taken[*number] = true;
      by_name.push_back(*number);
    }
    if (by_name.size() < nodes_.size()) {
      by_name.resize(nodes_.size());
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        by_name[i] = i;
      }
    }
    return by_name;
  }

  Graph build(std::string name, Logger& logger) {
    const std::vector<std::size_t> ids = op_ids();
    std::vector<std::size_t> node_of_op(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      node_of_op[ids[i]] = i;
    }
    GraphBuilder builder(std::move(name));
    NameTally names;
    for (const std::size_t i : node_of_op) {
      Node& node = nodes_[i];
      const auto cost = node.attributes.cost();
      if (!cost) {
        fail_at(source_,
                node.line,
                "node " + shown(node.name) +
                    " has no cost; expected an attribute Weight, weight, cost or size");
      }
      OpSpec op;
      op.name = node.attributes.label.empty() ? node.name : node.attributes.label;
      op.kind = node.attributes.kind;
      op.work = *cost;
      names.add(op.name);
      add_op_at(builder, std::move(op), source_, node.line);
    }
    for (const Edge& edge : edges_) {
      add_edge_at(builder, ids[edge.from], ids[edge.to], edge.size, source_, edge.line);
    }
    names.warn(source_, logger);
    return freeze(builder, source_, logger);
  }

  const SourceText& source_;
  DotTokens tokens_;
  Attributes node_defaults_;
  Attributes edge_defaults_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::size_t> node_of_;
  std::vector<Edge> edges_;
};

std::string dot_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  return out + "\"";
}

}  // namespace

Graph read_dot(const SourceText& source, Logger& logger) {
  return DotParser(source).parse(logger);
}

std::string write_dot(const Graph& graph) {
  require_holdable(graph, "DOT", graph.cost_basis() == CostBasis::kTime, "physical costs");
  require_holdable(graph, "DOT", graph.seconds_per_unit() == 1.0, "time units other than seconds");
  require_holdable(graph,
                   "DOT",
                   graph.table_devices() == 0 && !graph.has_eligibility(),
                   "times or eligibility by device");
  require_holdable(graph,
                   "DOT",
                   is_zero(graph.memory_bytes()) && is_zero(graph.output_bytes()) &&
                       is_zero(graph.touched_bytes()),
                   "bytes");
  std::string out = "digraph " + dot_quoted(graph.name()) + " {\n";
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    const auto op = to_id<OpId>(v);
    out += std::to_string(v) + " [Weight=" + number_text(graph.work()[v]) +
           ", label=" + dot_quoted(graph.op_name(op)) + ", kind=" + dot_quoted(graph.kind(op)) +
           "];\n";
  }
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
      out += std::to_string(v) + " -> " + std::to_string(index(graph.out_targets()[e])) +
             " [Weight=" + number_text(graph.edge_size()[e]) + "];\n";
    }
  }
  return out + "}\n";
}

}  // namespace berth::datasets

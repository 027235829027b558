// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "berth/graph.hpp"

#include "reader_support.hpp"
#include "source_text.hpp"

namespace berth::datasets {

/// Turns the events of a JSON parser into a graph: the streaming half of read_berth_graph().
class BerthGraphEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit BerthGraphEvents(const SourceText& source);

  /// The graph, after the last event. @throws InputError on absent or contradictory keys.
  [[nodiscard]] Graph finish(Logger& logger);

  bool null() override;
  bool boolean(bool value) override;
  bool number_integer(std::int64_t value) override;
  bool number_unsigned(std::uint64_t value) override;
  bool number_float(double value, const std::string& text) override;
  bool string(std::string& value) override;
  bool binary(binary_t& value) override;
  bool start_object(std::size_t size) override;
  bool end_object() override;
  bool start_array(std::size_t size) override;
  bool end_array() override;
  bool key(std::string& name) override;
  bool parse_error(std::size_t position,
                   const std::string& token,
                   const nlohmann::json::exception& error) override;

 private:
  enum class Where : std::uint8_t { kStart, kRoot, kOps, kOp, kTimes, kEligible, kEdges, kEdge };
  struct PendingEdge {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    double size = 0.0;
  };

  [[nodiscard]] std::string place() const;
  [[noreturn]] void fail(const std::string& what) const;
  void number(double value);
  void set_root(double value);
  void set_op(double value);
  void set_edge(double value);
  void add_op();
  void add_edge();
  void note_basis(CostBasis basis);
  [[nodiscard]] std::uint64_t to_index(double value) const;

  const SourceText& source_;
  GraphBuilder builder_;
  NameTally names_;
  Where where_ = Where::kStart;
  std::string key_;
  std::vector<PendingEdge> edges_;
  std::uint64_t next_edge_ = 0;

  std::string name_;
  std::string format_;
  std::string costs_;
  double version_ = 0.0;
  double seconds_per_unit_ = 0.0;
  bool has_name_ = false;
  bool has_ops_ = false;
  bool has_edges_ = false;
  std::string time_place_;      ///< First field that only time costs have.
  std::string physical_place_;  ///< First field that only physical costs have.

  OpSpec op_;
  double op_id_ = -1.0;
  double work_ = std::numeric_limits<double>::quiet_NaN();
  double edge_from_ = -1.0;
  double edge_to_ = -1.0;
  double edge_size_ = -1.0;
};

}  // namespace berth::datasets

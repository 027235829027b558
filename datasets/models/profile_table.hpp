// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::datasets {

struct Degrees;

/// Measured seconds of a layer on one device, collectives inside the layer included.
struct LayerSeconds {
  double forward = 0.0;
  double backward = 0.0;
};

/// Measured times that override the roofline, from CSV files with one of two headers:
///
///   kernel,m,n,k,count,us,device      product: `count` products of m x k by k x n in one kernel;
///                                     vector: a kernel that moves m bytes, n, k and count empty
///   layer,tensor,context,expert,sequence_parallel,micro_batch,forward_us,backward_us,device
///                                     layer: embedding, layer, dense-layer or head
///
/// Columns may come in any order; context, expert, sequence_parallel, count and device may be left
/// out or empty: 1, 1, false, 1, any device. Shapes match exactly, nothing is interpolated. A layer
/// row wins over kernel rows. Lines that start with # are comments.
class ProfileTable {
 public:
  /// Adds the rows of a file. @throws InputError "file:line: found; expected"; also for a row that
  ///         repeats the key of another one.
  void read(const std::filesystem::path& file);

  /// Each marks the row as used. A row for this device wins over one for any device.
  [[nodiscard]] std::optional<double> product(
      const std::string& device, double m, double n, double k, double count) const;
  [[nodiscard]] std::optional<double> vector(const std::string& device, double size_bytes) const;
  [[nodiscard]] std::optional<LayerSeconds> layer(const std::string& device,
                                                  std::string_view layer,
                                                  const Degrees& degrees) const;

  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  /// "file:line" of the rows that nothing asked for, in order.
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  struct Row {
    std::string place;
    LayerSeconds seconds;  // of a kernel: forward alone
    mutable bool used = false;
  };
  using Key = std::pair<std::string, std::array<double, 5>>;  // what and device, numbers

  void add(Key key, Row row);
  [[nodiscard]] const Row* find(const std::string& what,
                                const std::string& device,
                                const std::array<double, 5>& numbers) const;

  std::vector<Row> rows_;
  std::map<Key, std::size_t> by_key_;
};

}  // namespace berth::datasets

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/graph.hpp"
#include "berth/op_kernel.hpp"

namespace berth::datasets {

/// What the numbers of a generated workload mean.
enum class CostMode : std::uint8_t {
  /// As the public DOPPLER graphs: an op costs the iteration points of its whole, unsharded
  /// operation, an edge four times that; 1e10 units are one millisecond.
  kReference,
  /// Flops and bytes of each block.
  kPhysical,
};

/// Number of parts along each axis, by the axis' letter; an absent letter means one.
using Parts = std::map<char, std::size_t>;

/// Reads "s2n4". @param what it says, for messages: "sharding", "extents".
/// @throws InputError naming the text, what is wrong and an example.
[[nodiscard]] Parts parse_parts(std::string_view text, const char* what = "sharding");

/// A tensor cut into a grid of blocks, row-major by axis; each block is made by one op. A graph
/// input has no blocks: it lies on every device before the run starts.
struct BlockedTensor {
  std::string axes;                ///< One letter an axis.
  std::vector<std::size_t> parts;  ///< [axes]
  std::vector<OpId> blocks;        ///< [product of parts], or empty for a graph input.
  double scalars = 1.0;            ///< Reals in an element: 2 for complex numbers.
  KernelOperand operand;           ///< How a kernel reads it; without producers.
};

/// What a map computes for each element: a label for policies, and a function of OpKernel.
struct Formula {
  std::string_view function;
  double factor = 1.0;
  double shift = 0.0;
  std::string_view kind = "einsummable";
};

/// How reduce() joins elements.
enum class Reduction : std::uint8_t {
  kContract,  ///< Sum of products of two tensors.
  kSum,
  kMax,
};

/// Writes tensor algebra as a graph of block operations, as engines of the Einsummable family
/// shard it: a contraction becomes one partial product a block of its iteration space, then one
/// "formation" an output block that sums the partials.
class BlockedProgram {
 public:
  /// @param extents elements along each axis.
  BlockedProgram(std::string name, std::map<char, double> extents, CostMode mode);

  /// What the names of the ops from here on begin with.
  void prefix(std::string text) { prefix_ = std::move(text); }

  /// A graph input with values in (-amplitude, amplitude).
  [[nodiscard]] BlockedTensor input(std::string axes, double amplitude = 1.0);
  /// The second factor of a contraction over `reduced`, of an amplitude that keeps the variance.
  [[nodiscard]] BlockedTensor weight(std::string axes, std::string_view reduced);
  /// The same blocks with one axis called otherwise.
  [[nodiscard]] static BlockedTensor renamed(BlockedTensor tensor, char from, char to);
  /// The blocks that hold the last element along `axis`, which vanishes.
  [[nodiscard]] static BlockedTensor last_slice(const BlockedTensor& tensor, char axis);

  /// One op for each block of the output, one flop an element. Blocks of inputs that overlap a
  /// block of the output are its predecessors; an axis that the output lacks is read whole.
  /// @param scalars reals in an element of the output.
  /// @throws InputError if `parts` names an axis that is not there, or cuts finer than its extent.
  BlockedTensor map(const std::string& label,
                    const Formula& formula,
                    std::string axes,
                    const Parts& parts,
                    const std::vector<BlockedTensor>& inputs,
                    double scalars = 1.0);
  /// map() cut as its inputs are, the first that has an axis deciding.
  BlockedTensor map_like(const std::string& label,
                         const Formula& formula,
                         std::string axes,
                         const std::vector<BlockedTensor>& inputs,
                         double scalars = 1.0);
  /// Partial results over blocks of `axes` and `reduced`, then their formation over `axes`.
  /// A point of a contraction is 2 flops, of the others 1.
  BlockedTensor reduce(const std::string& label,
                       std::string axes,
                       const std::string& reduced,
                       const Parts& parts,
                       const std::vector<BlockedTensor>& inputs,
                       Reduction reduction);
  /// reduce() of one tensor cut as it is.
  BlockedTensor reduce_like(const std::string& label,
                            std::string axes,
                            const std::string& reduced,
                            const BlockedTensor& tensor,
                            Reduction reduction);

  [[nodiscard]] Graph finish();

 private:
  struct OpShape;
  BlockedTensor emit(const OpShape& shape, const std::vector<BlockedTensor>& inputs);
  [[nodiscard]] Parts inherited(std::string_view axes,
                                const std::vector<BlockedTensor>& inputs) const;
  [[nodiscard]] double extent(char axis) const;
  [[nodiscard]] double points(std::string_view axes) const;

  GraphBuilder builder_;
  std::map<char, double> extents_;
  CostMode mode_;
  std::string prefix_;
  std::uint32_t inputs_ = 0;
  std::vector<double> edge_size_;  ///< [ops] size of the edges that leave each op
};

}  // namespace berth::datasets

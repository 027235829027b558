// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "blocked_program.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "berth/error.hpp"

#include "../doppler_text.hpp"
#include "../source_text.hpp"

namespace berth::datasets {
namespace {

constexpr double kBytesPerReal = 4.0;
constexpr double kReferenceCommPerComp = 4.0;

/// A half-open range of elements.
struct Range {
  double begin = 0.0;
  double end = 0.0;
  [[nodiscard]] double length() const { return end - begin; }
  [[nodiscard]] bool overlaps(Range other) const { return begin < other.end && other.begin < end; }
};

/// Part `block` of `extent` elements cut into `parts` nearly equal ones.
Range part_range(double extent, std::size_t parts, std::size_t block) {
  const auto cut = [&](std::size_t b) {
    return std::floor(static_cast<double>(b) * extent / static_cast<double>(parts));
  };
  return {cut(block), cut(block + 1)};
}

std::size_t product(const std::vector<std::size_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::size_t{1}, std::multiplies<>());
}

/// Row-major coordinates of a position in a grid.
std::vector<std::size_t> coordinates(std::size_t position, const std::vector<std::size_t>& parts) {
  std::vector<std::size_t> at(parts.size());
  for (std::size_t axis = parts.size(); axis-- > 0;) {
    at[axis] = position % parts[axis];
    position /= parts[axis];
  }
  return at;
}

}  // namespace

Parts parse_parts(std::string_view text, const char* what) {
  Parts parts;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at != end) {
    const char axis = *at++;
    std::size_t count = 0;
    const auto [stop, error] = std::from_chars(at, end, count);
    if (axis < 'a' || axis > 'z' || error != std::errc() || count == 0 ||
        !parts.emplace(axis, count).second) {
      throw InputError(std::string(what) + " " + shown(text) +
                       ": expected axis letters, each once and with a number from 1 (e.g. "
                       "'s2n4')");
    }
    at = stop;
  }
  return parts;
}

/// One operation before it is cut into ops.
struct BlockedProgram::OpShape {
  std::string label;
  Formula formula;
  std::string iteration;  ///< All axes, those of the output first.
  std::string output;
  Parts parts;
  double flops_per_point = 1.0;
  double scalars = 1.0;
};

BlockedProgram::BlockedProgram(std::string name, std::map<char, double> extents, CostMode mode)
    : builder_(std::move(name)), extents_(std::move(extents)), mode_(mode) {
  builder_.cost_basis(mode == CostMode::kReference ? CostBasis::kTime : CostBasis::kPhysical,
                      mode == CostMode::kReference ? kDopplerSecondsPerUnit : 1.0);
}

double BlockedProgram::extent(char axis) const {
  const auto found = extents_.find(axis);
  BERTH_CHECK(found != extents_.end(), std::string("axis without extent: ") + axis);
  return found->second;
}

double BlockedProgram::points(std::string_view axes) const {
  double total = 1.0;
  for (const char axis : axes) {
    total *= extent(axis);
  }
  return total;
}

BlockedTensor BlockedProgram::input(std::string axes, double amplitude) {
  BlockedTensor tensor;
  tensor.parts.assign(axes.size(), 1);
  tensor.operand = {axes, inputs_++, amplitude, {}};
  tensor.axes = std::move(axes);
  return tensor;
}

BlockedTensor BlockedProgram::weight(std::string axes, std::string_view reduced) {
  return input(std::move(axes), std::sqrt(3.0 / points(reduced)));
}

BlockedTensor BlockedProgram::renamed(BlockedTensor tensor, char from, char to) {
  std::replace(tensor.axes.begin(), tensor.axes.end(), from, to);
  std::replace(tensor.operand.axes.begin(), tensor.operand.axes.end(), from, to);
  return tensor;
}

BlockedTensor BlockedProgram::last_slice(const BlockedTensor& tensor, char axis) {
  const std::size_t position = tensor.axes.find(axis);
  BERTH_CHECK(position != std::string::npos, "last_slice of an axis that is not there");
  BlockedTensor slice = tensor;
  slice.axes.erase(position, 1);
  std::replace(slice.operand.axes.begin(),
               slice.operand.axes.end(),
               axis,
               static_cast<char>(axis - 'a' + 'A'));
  slice.parts.erase(slice.parts.begin() + static_cast<std::ptrdiff_t>(position));
  slice.blocks.clear();
  for (std::size_t b = 0; b < tensor.blocks.size(); ++b) {
    if (coordinates(b, tensor.parts)[position] + 1 == tensor.parts[position]) {
      slice.blocks.push_back(tensor.blocks[b]);
    }
  }
  return slice;
}

Parts BlockedProgram::inherited(std::string_view axes,
                                const std::vector<BlockedTensor>& inputs) const {
  Parts parts;
  for (const BlockedTensor& tensor : inputs) {
    for (std::size_t a = 0; a < tensor.axes.size() && !tensor.blocks.empty(); ++a) {
      if (axes.find(tensor.axes[a]) != std::string_view::npos) {
        parts.emplace(tensor.axes[a], tensor.parts[a]);
      }
    }
  }
  return parts;
}

BlockedTensor BlockedProgram::map(const std::string& label,
                                  const Formula& formula,
                                  std::string axes,
                                  const Parts& parts,
                                  const std::vector<BlockedTensor>& inputs,
                                  double scalars) {
  return emit({label, formula, axes, axes, parts, 1.0, scalars}, inputs);
}

BlockedTensor BlockedProgram::map_like(const std::string& label,
                                       const Formula& formula,
                                       std::string axes,
                                       const std::vector<BlockedTensor>& inputs,
                                       double scalars) {
  const Parts parts = inherited(axes, inputs);
  return map(label, formula, std::move(axes), parts, inputs, scalars);
}

BlockedTensor BlockedProgram::reduce(const std::string& label,
                                     std::string axes,
                                     const std::string& reduced,
                                     const Parts& parts,
                                     const std::vector<BlockedTensor>& inputs,
                                     Reduction reduction) {
  constexpr std::string_view kFunctions[] = {"contract", "sum", "max"};
  const Formula formula{kFunctions[static_cast<std::size_t>(reduction)]};
  const double flops_per_point = reduction == Reduction::kContract ? 2.0 : 1.0;
  const BlockedTensor partials =
      emit({label, formula, axes + reduced, axes, parts, flops_per_point, 1.0}, inputs);
  const Formula join{
      reduction == Reduction::kMax ? "max-partials" : "add-partials", 1.0, 0.0, "formation"};
  return map_like(label + " formation", join, std::move(axes), {partials});
}

BlockedTensor BlockedProgram::reduce_like(const std::string& label,
                                          std::string axes,
                                          const std::string& reduced,
                                          const BlockedTensor& tensor,
                                          Reduction reduction) {
  const Parts parts = inherited(axes + reduced, {tensor});
  return reduce(label, std::move(axes), reduced, parts, {tensor}, reduction);
}

BlockedTensor BlockedProgram::emit(const OpShape& shape, const std::vector<BlockedTensor>& inputs) {
  const std::string& axes = shape.iteration;
  BlockedTensor result{
      axes, {}, {}, shape.scalars, {shape.output, KernelOperand::kNoInput, 1.0, {}}};
  for (const auto& [axis, count] : shape.parts) {
    if (axes.find(axis) == std::string::npos || static_cast<double>(count) > extent(axis)) {
      throw InputError("sharding of '" + shape.label + "': " + std::to_string(count) +
                       " parts along '" + axis + "'; expected axes among '" + axes +
                       "' and no more parts than elements");
    }
  }
  for (const char axis : axes) {
    const auto found = shape.parts.find(axis);
    result.parts.push_back(found == shape.parts.end() ? 1 : found->second);
  }
  const double whole = points(axes);
  const std::size_t blocks = product(result.parts);
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::vector<std::size_t> at = coordinates(b, result.parts);
    std::map<char, Range> ranges;
    OpSpec op;
    op.name = prefix_ + shape.label + "[";
    OpKernel kernel;
    kernel.function = shape.formula.function;
    kernel.scalars = static_cast<std::uint32_t>(shape.scalars);
    kernel.factor = shape.formula.factor;
    kernel.shift = shape.formula.shift;
    double block_points = 1.0;
    double output_elements = 1.0;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const Range range = part_range(extent(axes[a]), result.parts[a], at[a]);
      ranges.emplace(axes[a], range);
      block_points *= range.length();
      const bool stays = shape.output.find(axes[a]) != std::string::npos;
      output_elements *= stays ? range.length() : 1.0;
      (stays ? kernel.output : kernel.reduced)
          .push_back({axes[a],
                      static_cast<std::uint32_t>(range.begin),
                      static_cast<std::uint32_t>(range.end)});
      op.name += (a == 0 ? "" : ",") + std::to_string(at[a]);
    }
    op.name += "]";
    op.kind = shape.formula.kind;
    const double output_bytes = output_elements * shape.scalars * kBytesPerReal;
    double read_bytes = 0.0;
    std::vector<OpId> predecessors;
    for (const BlockedTensor& tensor : inputs) {
      double elements = tensor.scalars;
      for (const char axis : tensor.axes) {
        const auto range = ranges.find(axis);
        elements *= range == ranges.end() ? extent(axis) : range->second.length();
      }
      read_bytes += elements * kBytesPerReal;
      KernelOperand& operand = kernel.operands.emplace_back(tensor.operand);
      for (std::size_t i = 0; i < tensor.blocks.size(); ++i) {
        const std::vector<std::size_t> block = coordinates(i, tensor.parts);
        bool overlaps = true;
        for (std::size_t a = 0; a < tensor.axes.size() && overlaps; ++a) {
          const auto range = ranges.find(tensor.axes[a]);
          overlaps =
              range == ranges.end() ||
              range->second.overlaps(part_range(extent(tensor.axes[a]), tensor.parts[a], block[a]));
        }
        if (overlaps) {
          predecessors.push_back(tensor.blocks[i]);
          operand.producers.push_back(tensor.blocks[i]);
        }
      }
    }
    if (shape.formula.kind == "formation") {  // reads partials, not whole axes
      read_bytes = 0.0;
      for (const OpId partial : predecessors) {
        read_bytes += edge_size_[index(partial)];
      }
    }
    const bool reference = mode_ == CostMode::kReference;
    op.work = reference ? whole : block_points * shape.flops_per_point;
    op.output_bytes = reference ? kReferenceCommPerComp * whole : output_bytes;
    op.touched_bytes = reference ? 0.0 : read_bytes + output_bytes;
    op.kernel = reference ? "" : to_text(kernel);
    edge_size_.push_back(op.output_bytes);
    const OpId id = builder_.add_op(std::move(op));
    result.blocks.push_back(id);
    for (const OpId predecessor : predecessors) {
      builder_.add_edge(predecessor, id, edge_size_[index(predecessor)]);
    }
  }
  return result;
}

Graph BlockedProgram::finish() {
  return builder_.freeze();
}

}  // namespace berth::datasets

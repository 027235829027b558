// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "op_shape.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "berth/error.hpp"

#include "contraction.hpp"
#include "op_function.hpp"

namespace berth::executors {
namespace {

/// Row-major strides of a block, in reals.
std::vector<std::uint64_t> strides_of(const std::vector<AxisRange>& block, std::uint64_t scalars) {
  std::vector<std::uint64_t> strides(block.size());
  std::uint64_t stride = scalars;
  for (std::size_t a = block.size(); a-- > 0;) {
    strides[a] = stride;
    stride *= block[a].length();
  }
  return strides;
}

std::uint64_t points(const std::vector<AxisRange>& block) {
  std::uint64_t all = 1;
  for (const AxisRange& range : block) {
    all *= range.length();
  }
  return all;
}

class Maker {
 public:
  explicit Maker(const Graph& graph) : graph_(graph), kernels_(graph.num_ops()) {}

  OpShapes make() {
    OpShapes shapes;
    shapes.ops.resize(graph_.num_ops());
    for (std::size_t v = 0; v < graph_.num_ops(); ++v) {
      if (const std::string& text = graph_.kernel(to_id<OpId>(v)); !text.empty()) {
        op_ = v;
        kernels_[v] = parse_op_kernel(text);
      }
    }
    for (std::size_t v = 0; v < graph_.num_ops(); ++v) {
      op_ = v;
      if (kernels_[v].function.empty()) {
        shapes.ops[v].output_reals = emulated_reals(v);
      } else {
        shapes.ops[v] = shape_of(kernels_[v]);
      }
    }
    shapes.inputs = std::move(inputs_);
    return shapes;
  }

 private:
  /// What one operand looks like before its loops are made.
  struct View {
    OperandShape shape;
    std::string axes;                    ///< As read: without capitals.
    std::vector<AxisRange> region;       ///< [axes]
    std::vector<std::uint64_t> strides;  ///< [axes] of what the loops read, reals.
    std::uint32_t scalars = 1;
  };

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError("graph '" + graph_.name() + "': kernel of " +
                     graph_.op_name(to_id<OpId>(op_)) + ": " + what);
  }

  /// Without a kernel: results of physical graphs have their size, others are tokens.
  [[nodiscard]] std::uint64_t emulated_reals(std::size_t v) const {
    constexpr std::uint64_t kToken = 16;
    if (graph_.cost_basis() == CostBasis::kTime) {
      return kToken;
    }
    double bytes = graph_.output_bytes()[v];
    for (std::uint64_t e = graph_.out_offsets()[v]; e < graph_.out_offsets()[v + 1]; ++e) {
      bytes = std::max(bytes, graph_.edge_size()[e]);
    }
    if (bytes > 1e15) {
      throw InputError("graph '" + graph_.name() + "': " + graph_.op_name(to_id<OpId>(v)) +
                       " has a result of " + std::to_string(bytes) +
                       " bytes; expected at most 1e15 to run it");
    }
    return std::max(kToken, static_cast<std::uint64_t>(bytes / 4.0));
  }

  OpShape shape_of(const OpKernel& kernel) {
    OpShape shape;
    shape.function = function_of(kernel.function);
    shape.output_reals = kernel.output_reals();
    shape.scalars = kernel.scalars;
    shape.factor = static_cast<float>(kernel.factor);
    shape.shift = static_cast<float>(kernel.shift);
    std::vector<View> views;
    for (const KernelOperand& operand : kernel.operands) {
      views.push_back(operand.input != KernelOperand::kNoInput
                          ? input_view(kernel, operand)
                          : block_view(kernel, operand, is_partials(shape.function)));
    }
    if (is_partials(shape.function)) {
      aim_at_output(kernel, views[0]);
    } else if (shape.function == Function::kCopy && reshapes(kernel, views[0])) {
      if (points(views[0].region) * views[0].scalars != shape.output_reals) {
        refuse("a copy of " + std::to_string(points(views[0].region) * views[0].scalars) +
               " reals into " + std::to_string(shape.output_reals));
      }
      views[0].shape.gathered = false;
      shape.keeps_positions = true;
    } else if (shape.function == Function::kContract) {
      contract(kernel, views, shape);
    } else {
      make_loops(kernel, views, shape);
    }
    if (shape.function == Function::kCausalMask) {
      if (kernel.output.size() != 2) {
        refuse("causal-mask of " + std::to_string(kernel.output.size()) + " axes; expected 2");
      }
      shape.first_row = kernel.output[0].begin;
      shape.first_column = kernel.output[1].begin;
      shape.columns = kernel.output[1].length();
    }
    if (shape.function == Function::kComplexMultiply) {
      shape.second_is_angle = views[1].scalars == 1;
    }
    for (View& view : views) {
      shape.workspace_reals += view.shape.gathered ? view.shape.reals : 0;
      shape.operands.push_back(std::move(view.shape));
    }
    return shape;
  }

  [[nodiscard]] static const AxisRange* find(const OpKernel& kernel, char axis) {
    for (const auto* ranges : {&kernel.output, &kernel.reduced}) {
      for (const AxisRange& range : *ranges) {
        if (range.axis == axis) {
          return &range;
        }
      }
    }
    return nullptr;
  }

  View input_view(const OpKernel& kernel, const KernelOperand& operand) {
    View view;
    view.axes = operand.axes;
    for (const char axis : operand.axes) {
      const AxisRange* const range = find(kernel, axis);
      if (range == nullptr) {
        refuse(std::string("it reads graph input ") + std::to_string(operand.input) +
               " along axis '" + axis + "', over which it does not iterate");
      }
      view.region.push_back(*range);
    }
    view.strides = strides_of(view.region, 1);
    view.shape.input_region = region_of({operand.input, operand.amplitude, view.region});
    view.shape.reals = points(view.region);
    return view;
  }

  std::uint32_t region_of(InputRegion region) {
    std::vector<std::uint64_t> key = {region.input, std::bit_cast<std::uint64_t>(region.amplitude)};
    for (const AxisRange& range : region.block) {
      key.push_back(std::uint64_t{range.begin} << 32U | range.end);
    }
    const auto [slot, fresh] =
        known_.try_emplace(std::move(key), static_cast<std::uint32_t>(inputs_.size()));
    if (fresh) {
      inputs_.push_back(std::move(region));
    }
    return slot->second;
  }

  /// The blocks of `operand`'s producers. One block that holds the whole region is read in place.
  View block_view(const OpKernel& kernel, const KernelOperand& operand, bool partials) {
    if (operand.producers.empty()) {
      refuse("an operand without producers");
    }
    View view;
    const auto predecessors = graph_.predecessors(to_id<OpId>(op_));
    for (const OpId producer : operand.producers) {
      if (std::ranges::find(predecessors, producer) == predecessors.end()) {
        refuse("it reads op " + std::to_string(index(producer)) + ", which is no predecessor");
      }
      const OpKernel& made = kernels_[index(producer)];
      if (made.output.size() != operand.axes.size() || made.function.empty()) {
        refuse("operand '" + operand.axes + "' has " + std::to_string(operand.axes.size()) +
               " axes; op " + std::to_string(index(producer)) + " makes " +
               std::to_string(made.output.size()));
      }
    }
    view.scalars = kernels_[index(operand.producers[0])].scalars;
    std::vector<std::size_t> position;  // [view axes] in the producers' axes
    for (std::size_t a = 0; a < operand.axes.size(); ++a) {
      if (operand.axes[a] >= 'A' && operand.axes[a] <= 'Z') {
        continue;
      }
      position.push_back(a);
      view.axes += operand.axes[a];
      AxisRange range{operand.axes[a], ~std::uint32_t{0}, 0};
      if (const AxisRange* const own = find(kernel, range.axis)) {
        range = *own;
      } else {
        for (const OpId producer : operand.producers) {
          const AxisRange& part = kernels_[index(producer)].output[a];
          range.begin = std::min(range.begin, part.begin);
          range.end = std::max(range.end, part.end);
        }
      }
      view.region.push_back(range);
    }
    view.strides = strides_of(view.region, view.scalars);
    std::uint64_t covered = 0;
    for (const OpId producer : operand.producers) {
      covered += add_piece(view, operand, static_cast<std::uint32_t>(producer), position);
    }
    view.shape.reals = points(view.region) * view.scalars;
    if (partials ? covered % view.shape.reals != 0 : covered != view.shape.reals) {
      refuse("the blocks of operand '" + operand.axes + "' hold " + std::to_string(covered) +
             " reals of its region; expected " + std::to_string(view.shape.reals));
    }
    view.shape.gathered = !partials;
    if (operand.producers.size() == 1 && !partials) {
      read_in_place(view, operand, position);
    }
    return view;
  }

  /// @return reals of the region that this block holds.
  std::uint64_t add_piece(View& view,
                          const KernelOperand& operand,
                          std::uint32_t producer,
                          const std::vector<std::size_t>& position) {
    const OpKernel& made = kernels_[producer];
    const std::vector<std::uint64_t> from = strides_of(made.output, made.scalars);
    Piece piece;
    piece.producer = producer;
    for (std::size_t a = 0; a < operand.axes.size(); ++a) {
      if (operand.axes[a] >= 'A' && operand.axes[a] <= 'Z') {
        piece.from += (made.output[a].length() - 1) * from[a];
      }
    }
    std::uint64_t reals = view.scalars;
    for (std::size_t i = 0; i < position.size(); ++i) {
      const AxisRange& block = made.output[position[i]];
      const std::uint32_t begin = std::max(block.begin, view.region[i].begin);
      const std::uint32_t end = std::min(block.end, view.region[i].end);
      if (begin >= end) {
        return 0;
      }
      piece.from += (begin - block.begin) * from[position[i]];
      piece.to += (begin - view.region[i].begin) * view.strides[i];
      piece.axes.push_back({end - begin, from[position[i]], view.strides[i]});
      reals *= end - begin;
    }
    if (view.scalars > 1) {
      piece.axes.push_back({view.scalars, 1, 1});
    }
    view.shape.pieces.push_back(std::move(piece));
    return reals;
  }

  /// The loops read the only block itself: its strides replace those of a gathered operand.
  void read_in_place(View& view,
                     const KernelOperand& operand,
                     const std::vector<std::size_t>& position) const {
    const OpKernel& made = kernels_[index(operand.producers[0])];
    const std::vector<std::uint64_t> from = strides_of(made.output, made.scalars);
    for (std::size_t i = 0; i < position.size(); ++i) {
      view.strides[i] = from[position[i]];
    }
    view.shape.gathered = false;
  }

  /// Pieces of partial results, and of copies, go straight to the output.
  void aim_at_output(const OpKernel& kernel, const View& view) const {
    for (std::size_t a = 0; a < kernel.output.size(); ++a) {
      if (a >= view.axes.size() || view.axes[a] != kernel.output[a].axis ||
          view.axes.size() != kernel.output.size() || view.scalars != kernel.scalars) {
        refuse("partial results with axes '" + view.axes + "', not those of the output");
      }
    }
  }

  /// A copy that keeps row-major positions: axes or reals of an element are others than the
  /// output's, or several blocks are put together.
  [[nodiscard]] static bool reshapes(const OpKernel& kernel, const View& view) {
    if (view.shape.input_region != KernelOperand::kNoInput) {
      return false;
    }
    std::string out;
    for (const AxisRange& range : kernel.output) {
      out += range.axis;
    }
    return view.axes.find_first_not_of(out) != std::string::npos ||
           view.scalars != kernel.scalars || (view.shape.gathered && view.axes == out);
  }

  [[nodiscard]] std::uint64_t stride(const View& view, char axis) const {
    const std::size_t at = view.axes.find(axis);
    return at == std::string::npos ? 0 : view.strides[at];
  }

  std::vector<Loop> loops_over(const std::vector<AxisRange>& axes,
                               const std::vector<std::uint64_t>& out,
                               const std::vector<View>& views) const {
    std::vector<Loop> loops;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      Loop loop{axes[a].length(), {a < out.size() ? out[a] : 0, 0, 0}};
      for (std::size_t i = 0; i < views.size(); ++i) {
        loop.stride[i + 1] = stride(views[i], axes[a].axis);
      }
      loops.push_back(loop);
    }
    return fused(std::move(loops));
  }

  void check_axes(const OpKernel& kernel, const std::vector<View>& views) const {
    for (const View& view : views) {
      for (const char axis : view.axes) {
        if (find(kernel, axis) == nullptr) {
          refuse(std::string("operand '") + view.axes + "' has axis '" + axis +
                 "', over which it does not iterate");
        }
      }
    }
  }

  void make_loops(const OpKernel& kernel, const std::vector<View>& views, OpShape& shape) const {
    check_axes(kernel, views);
    const std::vector<std::uint64_t> out = strides_of(kernel.output, kernel.scalars);
    shape.loops = loops_over(kernel.output, out, views);
    const bool by_reals =
        shape.function != Function::kPolar && shape.function != Function::kComplexMultiply;
    if (kernel.scalars > 1 && by_reals) {
      shape.loops.push_back({kernel.scalars, {1, 1, 1}});
    }
    shape.reduced = loops_over(kernel.reduced, {}, views);
  }

  void contract(const OpKernel& kernel, std::vector<View>& views, OpShape& shape) const {
    check_axes(kernel, views);
    if (views[0].scalars != 1 || views[1].scalars != 1 || kernel.scalars != 1) {
      refuse("a contraction of complex numbers; expected reals");
    }
    const std::vector<std::uint64_t> out = strides_of(kernel.output, 1);
    if (!make_product(
            loops_over(kernel.output, out, views), loops_over(kernel.reduced, {}, views), shape)) {
      refuse(
          "a contraction that is no loop of matrix products; expected an axis of stride 1 in "
          "each of its tensors");
    }
  }

  const Graph& graph_;
  std::vector<OpKernel> kernels_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> known_;
  std::vector<InputRegion> inputs_;
  std::size_t op_ = 0;
};

}  // namespace

std::uint64_t InputRegion::reals() const noexcept {
  return points(block);
}

OpShapes make_op_shapes(const Graph& graph) {
  return Maker(graph).make();
}

}  // namespace berth::executors

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "placeto_actor.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <string>

#include "berth/error.hpp"

#include "device_codes.hpp"
#include "linear_block.hpp"

namespace berth::learned {
namespace {

using Rows = std::vector<float>;

void relu(Rows& x) {
  for (float& value : x) {
    value = std::max(value, 0.0F);
  }
}

/// y[row] += x[row] over `width` columns.
void add(const float* x, std::size_t width, float* y) {
  for (std::size_t c = 0; c < width; ++c) {
    y[c] += x[c];
  }
}

/// linear(relu(linear(x))) on rows. Layers are as wide as the kernels like it, with weights of zero
/// in what is added.
class TwoLayers {
 public:
  TwoLayers(const doppler::ParameterLayout& layout, const float* flat, const std::string& name)
      : first_(layout, flat, name + "/0", Layer::Inputs::kAsTheyAre),
        second_(layout, flat, name + "/1", Layer::Inputs::kWidened) {}

  /// Floats from one row of the result to the next, no fewer than outputs.
  [[nodiscard]] std::size_t stride() const { return second_.bias.size(); }

  /// @param x [rows, inputs] @return [rows, stride()]; valid until the next call
  Rows& operator()(std::size_t rows, const float* x) {
    first_.apply(rows, x, hidden_);
    relu(hidden_);
    second_.apply(rows, hidden_.data(), out_);
    return out_;
  }

 private:
  struct Layer {
    enum class Inputs : std::uint8_t { kAsTheyAre, kWidened };

    Layer(const doppler::ParameterLayout& layout,
          const float* flat,
          const std::string& name,
          Inputs form) {
      const doppler::Parameter& weight = layout.find(name + "/weight");
      const auto outputs = static_cast<std::size_t>(weight.shape[0]);
      const auto inputs = static_cast<std::size_t>(weight.shape[1]);
      const std::size_t wide = form == Inputs::kWidened ? widened(inputs) : inputs;
      Rows rows(widened(outputs) * wide, 0.0F);
      for (std::size_t o = 0; o < outputs; ++o) {
        std::copy_n(flat + weight.offset + o * inputs, inputs, rows.data() + o * wide);
      }
      block = doppler::LinearBlock(rows.data(), widened(outputs), wide, 0, wide);
      bias.assign(widened(outputs), 0.0F);
      std::copy_n(flat + layout.find(name + "/bias").offset, outputs, bias.begin());
    }
    static std::size_t widened(std::size_t width) { return (width + 15) / 16 * 16; }
    void apply(std::size_t rows, const float* x, Rows& y) const {
      y.resize(rows * bias.size());
      for (std::size_t r = 0; r < rows; ++r) {
        std::ranges::copy(bias, y.begin() + static_cast<std::ptrdiff_t>(r * bias.size()));
      }
      block.apply(rows, x, y.data());
    }
    doppler::LinearBlock block;
    Rows bias;
  };

  Layer first_, second_;
  Rows hidden_, out_;
};

/// A round of message passing, [ops, f] each.
struct Round {
  Rows sent;    ///< After ReLU.
  Rows sums;    ///< Of what the sources sent.
  Rows update;  ///< After ReLU.
  Rows y;       ///< What the next round sends from.
};

/// One direction of message passing.
struct Direction {
  TwoLayers message, update;
  const doppler::RowSums* sources;
  std::vector<Round> rounds;
};

/// An aggregator with the messages that its ops send.
struct Gathering {
  TwoLayers own, message, update;
  Rows sent;  ///< [ops, width] after ReLU
};

class PlacetoActor final : public PlacementNet::Pass {
 public:
  PlacetoActor(const PlacetoSizes& sizes,
               const doppler::ParameterLayout& layout,
               const NetGraph& graph,
               const float* flat)
      : sizes_(&sizes),
        graph_(&graph),
        f_(sizes.columns + (sizes.every_step ? kDeviceCode + 2 : 0)),
        width_(2 * f_ + (sizes.every_step ? 0 : kDeviceCode)),
        node_(layout, flat, "node"),
        directions_{{{layout, flat, "forward/message"},
                     {layout, flat, "forward/update"},
                     &graph.from_predecessors,
                     {}},
                    {{layout, flat, "backward/message"},
                     {layout, flat, "backward/update"},
                     &graph.from_successors,
                     {}}},
        head_(layout, flat, "head") {
    for (const char* set : {"parents", "children", "parallel"}) {
      const std::string name = std::string("gather/") + set;
      gatherings_.push_back({{layout, flat, name + "/own"},
                             {layout, flat, name + "/message"},
                             {layout, flat, name + "/update"},
                             {}});
    }
    rows_.resize(graph.num_ops * width_);
    if (!sizes.every_step) {
      embed({}, 0);
    }
  }

  std::vector<float> logits(const std::vector<std::uint32_t>& device,
                            std::size_t first,
                            std::size_t count) override {
    std::vector<float> all;
    for (std::size_t step = first; step < first + count; ++step) {
      if (sizes_->every_step) {
        embed(device, step);
      } else {
        catch_up(device, step);
      }
      const auto v = static_cast<std::size_t>(graph_->order[step]);
      add_logits(v, decide(v), all);
    }
    return all;
  }

  void backward(const std::vector<float>& /*dlogits*/) override {
    throw InternalError("placeto: the pass that acts has no gradient");
  }
  void add_gradient(float* /*out*/) const override {
    throw InternalError("placeto: the pass that acts has no gradient");
  }

 private:
  /// Fills the first 2f columns of rows_ by message passing. From one step to the next few ops
  /// change, and what they reach in so many rounds: only those rows are computed anew, with the
  /// same result.
  void embed(const std::vector<std::uint32_t>& device, std::size_t step) {
    const bool anew = step == 0 || !sizes_->every_step || input_.empty();
    const std::vector<std::uint32_t> changed = anew ? all_ops() : placed_since(step);
    embedded_ = step;
    input_.resize(graph_->num_ops * f_);
    for (const std::uint32_t u : changed) {
      fill_input(u, device, step);
    }
    recompute(node_, changed, input_, f_, t_, f_);
    std::vector<std::uint32_t> moved;  // rows of rows_ that change
    for (std::size_t side = 0; side < 2; ++side) {
      Direction& direction = directions_[side];
      direction.rounds.resize(sizes_->rounds);
      std::vector<std::uint32_t> dirty = changed;
      const Rows* y = &t_;
      for (Round& round : direction.rounds) {
        recompute(direction.message, dirty, *y, f_, round.sent, f_, /*rectified=*/true);
        const std::vector<std::uint32_t> reached = anew ? dirty : receivers(side, dirty);
        round.sums.resize(graph_->num_ops * f_);
        for (const std::uint32_t v : reached) {
          sum_sources(*direction.sources, v, round);
        }
        recompute(direction.update, reached, round.sums, f_, round.update, f_, /*rectified=*/true);
        dirty = joined(dirty, reached);
        round.y.resize(graph_->num_ops * f_);
        round.update.resize(graph_->num_ops * f_);
        for (const std::uint32_t v : dirty) {
          for (std::size_t i = v * f_; i < (v + 1) * f_; ++i) {
            round.y[i] = t_[i] + round.update[i];
          }
        }
        y = &round.y;
      }
      for (const std::uint32_t u : dirty) {
        std::copy_n(y->data() + u * f_, f_, rows_.data() + u * width_ + side * f_);
      }
      moved = joined(moved, dirty);
    }
    for (Gathering& gathering : gatherings_) {
      recompute(gathering.message, moved, rows_, width_, gathering.sent, width_, true);
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> all_ops() const {
    std::vector<std::uint32_t> ops(graph_->num_ops);
    std::iota(ops.begin(), ops.end(), 0U);
    return ops;
  }

  /// Those whose input is another than at the step embedded last, ascending.
  [[nodiscard]] std::vector<std::uint32_t> placed_since(std::size_t step) const {
    BERTH_CHECK(embedded_ < step, "placeto: steps of an episode come in order");
    std::vector<std::uint32_t> ops;
    for (std::size_t i = embedded_; i <= step; ++i) {
      ops.push_back(static_cast<std::uint32_t>(graph_->order[i]));
    }
    std::ranges::sort(ops);
    return ops;
  }

  /// Both lists in one, ascending as they are.
  static std::vector<std::uint32_t> joined(const std::vector<std::uint32_t>& a,
                                           const std::vector<std::uint32_t>& b) {
    std::vector<std::uint32_t> both;
    std::ranges::set_union(a, b, std::back_inserter(both));
    return both;
  }

  /// Ops that hear from one of `senders` in a direction, ascending.
  [[nodiscard]] std::vector<std::uint32_t> receivers(std::size_t side,
                                                     std::span<const std::uint32_t> senders) const {
    const doppler::RowSums& listeners = *directions_[1 - side].sources;
    std::vector<std::uint32_t> ops;
    for (const std::uint32_t u : senders) {
      for (std::int64_t k = listeners.offsets[u]; k < listeners.offsets[u + 1]; ++k) {
        ops.push_back(static_cast<std::uint32_t>(listeners.columns[static_cast<std::size_t>(k)]));
      }
    }
    std::ranges::sort(ops);
    const auto repeats = std::ranges::unique(ops);
    ops.erase(repeats.begin(), repeats.end());
    return ops;
  }

  void fill_input(std::uint32_t u, const std::vector<std::uint32_t>& device, std::size_t step) {
    const std::size_t fixed = graph_->columns;
    float* row = input_.data() + u * f_;
    std::fill_n(row, f_, 0.0F);
    std::copy_n(graph_->features.data() + u * fixed, fixed, row);
    if (!sizes_->every_step) {
      return;
    }
    const auto placed_at = static_cast<std::size_t>(graph_->step[u]);
    if (placed_at < step) {
      copy_code(device[placed_at], row + fixed);
      row[f_ - 1] = 1.0F;
    }
    row[f_ - 2] = placed_at == step ? 1.0F : 0.0F;
  }

  void sum_sources(const doppler::RowSums& sources, std::uint32_t v, Round& round) const {
    float* sum = round.sums.data() + v * f_;
    std::fill_n(sum, f_, 0.0F);
    for (std::int64_t k = sources.offsets[v]; k < sources.offsets[v + 1]; ++k) {
      const auto u = static_cast<std::size_t>(sources.columns[static_cast<std::size_t>(k)]);
      add(round.sent.data() + u * f_, f_, sum);
    }
  }

  /// `to` = layers of `from`, for some rows.
  void recompute(TwoLayers& layers,
                 std::span<const std::uint32_t> rows,
                 const Rows& from,
                 std::size_t inputs,
                 Rows& to,
                 std::size_t outputs,
                 bool rectified = false) {
    to.resize(graph_->num_ops * outputs);
    gathered_.resize(rows.size() * inputs);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(from.data() + rows[i] * inputs, inputs, gathered_.data() + i * inputs);
    }
    Rows& result = layers(rows.size(), gathered_.data());
    if (rectified) {
      relu(result);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(result.data() + i * layers.stride(), outputs, to.data() + rows[i] * outputs);
    }
  }

  /// Messages once an episode: enters the ops placed since the last step.
  void catch_up(const std::vector<std::uint32_t>& device, std::size_t step) {
    BERTH_CHECK(entered_ <= step, "placeto: steps of an episode come in order");
    for (; entered_ < step; ++entered_) {
      const auto u = static_cast<std::size_t>(graph_->order[entered_]);
      copy_code(device[entered_], rows_.data() + u * width_ + 2 * f_);
      for (Gathering& gathering : gatherings_) {
        const std::uint32_t placed[] = {static_cast<std::uint32_t>(u)};
        recompute(gathering.message, placed, rows_, width_, gathering.sent, width_, true);
      }
    }
  }

  void copy_code(std::uint32_t device, float* to) const {
    std::copy_n(graph_->device_codes.data() + device * kDeviceCode, kDeviceCode, to);
  }

  /// Appends the logits of op v over devices to `all`.
  void add_logits(std::size_t v, const Rows& answer, std::vector<float>& all) const {
    for (std::size_t d = 0; d < graph_->num_devices; ++d) {
      const float* code = graph_->device_codes.data() + d * kDeviceCode;
      float logit = graph_->device_times.empty()
                        ? 0.0F
                        : answer[kDeviceCode] * graph_->device_times[v * graph_->num_devices + d];
      for (std::size_t j = 0; j < kDeviceCode; ++j) {
        logit += answer[j] * code[j];
      }
      all.push_back(logit);
    }
  }

  /// What the network answers for op v, [kDeviceScore].
  const Rows& decide(std::size_t v) {
    const float* own = rows_.data() + v * width_;
    state_.clear();
    for (std::size_t set = 0; set < gatherings_.size(); ++set) {
      Gathering& gathering = gatherings_[set];
      sum_.assign(width_, 0.0F);
      if (set == 2) {
        for (std::size_t u = 0; u < graph_->num_ops && sizes_->sees_parallel; ++u) {
          if (!graph_->is_related(v, u)) {
            add(gathering.sent.data() + u * width_, width_, sum_.data());
          }
        }
      } else {
        const doppler::RowSums& near = *directions_[set].sources;
        for (std::int64_t k = near.offsets[v]; k < near.offsets[v + 1]; ++k) {
          const auto u = static_cast<std::size_t>(near.columns[static_cast<std::size_t>(k)]);
          add(gathering.sent.data() + u * width_, width_, sum_.data());
        }
      }
      Rows& update = gathering.update(1, sum_.data());
      relu(update);
      add(gathering.own(1, own).data(), width_, update.data());
      state_.insert(
          state_.end(), update.begin(), update.begin() + static_cast<std::ptrdiff_t>(width_));
    }
    state_.insert(state_.end(), own, own + width_);
    return head_(1, state_.data());
  }

  const PlacetoSizes* sizes_;
  const NetGraph* graph_;
  std::size_t f_;      ///< Columns of an op.
  std::size_t width_;  ///< Of what aggregators and head read.
  TwoLayers node_;
  Direction directions_[2];
  TwoLayers head_;
  std::vector<Gathering> gatherings_;
  Rows input_, t_, rows_, sum_, state_, gathered_;
  std::size_t embedded_ = 0;  ///< The step that rows_ stand for, with messages at every step.
  std::size_t entered_ = 0;   ///< Steps whose device rows_ holds.
};

}  // namespace

std::unique_ptr<PlacementNet::Pass> make_placeto_actor(const PlacetoSizes& sizes,
                                                       const doppler::ParameterLayout& layout,
                                                       const NetGraph& graph,
                                                       const float* weights) {
  return std::make_unique<PlacetoActor>(sizes, layout, graph, weights);
}

}  // namespace berth::learned

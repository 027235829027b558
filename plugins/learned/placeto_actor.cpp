// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "placeto_actor.hpp"

#include <algorithm>
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

/// linear(relu(linear(x))) on rows.
class TwoLayers {
 public:
  TwoLayers(const doppler::ParameterLayout& layout, const float* flat, const std::string& name)
      : first_(layout, flat, name + "/0"), second_(layout, flat, name + "/1") {}

  /// @param x [rows, inputs] @return [rows, outputs]; valid until the next call
  Rows& operator()(std::size_t rows, const float* x) {
    first_.apply(rows, x, hidden_);
    relu(hidden_);
    second_.apply(rows, hidden_.data(), out_);
    return out_;
  }

 private:
  struct Layer {
    Layer(const doppler::ParameterLayout& layout, const float* flat, const std::string& name) {
      const doppler::Parameter& weight = layout.find(name + "/weight");
      const auto outputs = static_cast<std::size_t>(weight.shape[0]);
      const auto inputs = static_cast<std::size_t>(weight.shape[1]);
      block = doppler::LinearBlock(flat + weight.offset, outputs, inputs, 0, inputs);
      const float* from = flat + layout.find(name + "/bias").offset;
      bias.assign(from, from + outputs);
    }
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

/// One direction of message passing.
struct Direction {
  TwoLayers message, update;
  const doppler::RowSums* sources;
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
                     &graph.from_predecessors},
                    {{layout, flat, "backward/message"},
                     {layout, flat, "backward/update"},
                     &graph.from_successors}},
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
      send(0, graph.num_ops);
    }
  }

  std::vector<float> logits(const std::vector<std::uint32_t>& device,
                            std::size_t first,
                            std::size_t count) override {
    std::vector<float> all;
    for (std::size_t step = first; step < first + count; ++step) {
      if (sizes_->every_step) {
        embed(device, step);
        send(0, graph_->num_ops);
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
  /// Fills the first 2f columns of rows_ by message passing.
  void embed(const std::vector<std::uint32_t>& device, std::size_t step) {
    const std::size_t n = graph_->num_ops;
    const std::size_t fixed = graph_->columns;
    input_.assign(n * f_, 0.0F);
    for (std::size_t u = 0; u < n; ++u) {
      float* row = input_.data() + u * f_;
      std::copy_n(graph_->features.data() + u * fixed, fixed, row);
      if (!sizes_->every_step) {
        continue;
      }
      const auto placed_at = static_cast<std::size_t>(graph_->step[u]);
      if (placed_at < step) {
        copy_code(device[placed_at], row + fixed);
        row[f_ - 1] = 1.0F;
      }
      row[f_ - 2] = placed_at == step ? 1.0F : 0.0F;
    }
    const Rows t = node_(n, input_.data());
    for (std::size_t side = 0; side < 2; ++side) {
      Direction& direction = directions_[side];
      Rows y = t;
      Rows sums;
      for (std::size_t round = 0; round < sizes_->rounds; ++round) {
        Rows& sent = direction.message(n, y.data());
        relu(sent);
        sums.assign(n * f_, 0.0F);
        for (std::size_t v = 0; v < n; ++v) {
          for (std::int64_t k = direction.sources->offsets[v];
               k < direction.sources->offsets[v + 1];
               ++k) {
            const auto u =
                static_cast<std::size_t>(direction.sources->columns[static_cast<std::size_t>(k)]);
            add(sent.data() + u * f_, f_, sums.data() + v * f_);
          }
        }
        Rows& update = direction.update(n, sums.data());
        relu(update);
        for (std::size_t i = 0; i < y.size(); ++i) {
          y[i] = t[i] + update[i];
        }
      }
      for (std::size_t u = 0; u < n; ++u) {
        std::copy_n(y.data() + u * f_, f_, rows_.data() + u * width_ + side * f_);
      }
    }
  }

  /// What ops first .. first+count-1 send to each aggregator.
  void send(std::size_t first, std::size_t count) {
    for (Gathering& gathering : gatherings_) {
      Rows& sent = gathering.message(count, rows_.data() + first * width_);
      relu(sent);
      gathering.sent.resize(graph_->num_ops * width_);
      std::ranges::copy(sent, gathering.sent.begin() + static_cast<std::ptrdiff_t>(first * width_));
    }
  }

  /// Messages once an episode: enters the ops placed since the last step.
  void catch_up(const std::vector<std::uint32_t>& device, std::size_t step) {
    BERTH_CHECK(entered_ <= step, "placeto: steps of an episode come in order");
    for (; entered_ < step; ++entered_) {
      const auto u = static_cast<std::size_t>(graph_->order[entered_]);
      copy_code(device[entered_], rows_.data() + u * width_ + 2 * f_);
      send(u, 1);
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
      state_.insert(state_.end(), update.begin(), update.end());
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
  Rows input_, rows_, sum_, state_;
  std::size_t entered_ = 0;  ///< Steps whose device rows_ holds.
};

}  // namespace

std::unique_ptr<PlacementNet::Pass> make_placeto_actor(const PlacetoSizes& sizes,
                                                       const doppler::ParameterLayout& layout,
                                                       const NetGraph& graph,
                                                       const float* weights) {
  return std::make_unique<PlacetoActor>(sizes, layout, graph, weights);
}

}  // namespace berth::learned

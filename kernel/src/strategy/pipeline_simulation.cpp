// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <string>

#include "berth/error.hpp"
#include "berth/plan_score.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

constexpr double kPending = -1.0;

// The k-th op of a device: a forward pass (true) or a backward pass of one of its chunks on the
// n-th of its own micro-batches.
struct Op {
  bool forward = true;
  std::size_t chunk = 0;
  std::size_t nth = 0;
};

// What one device does in order: `warm` forward passes, then a forward and a backward pass in turn,
// then the backward passes that are left. Chunks take turns every `depth` micro-batches (Narayanan
// et al. 2021, fig. 4); the last chunk goes back first.
class DeviceOrder {
 public:
  DeviceOrder(std::size_t micro_batches, std::size_t chunks, std::size_t depth, std::size_t warm)
      : passes_(micro_batches * chunks),
        chunks_(chunks),
        depth_(depth),
        warm_(std::min(warm, passes_)) {}

  [[nodiscard]] std::size_t size() const { return 2 * passes_; }
  [[nodiscard]] std::size_t warm() const { return warm_; }

  // Ops that follow the k-th while forward and backward passes still alternate; 0 before they do.
  [[nodiscard]] std::size_t steady_after(std::size_t k) const {
    const std::size_t end = warm_ + 2 * (passes_ - warm_);
    return k < warm_ || k >= end ? 0 : end - k;
  }

  // Leaves out micro-batches of the steady state, whole rounds where chunks take turns.
  void shorten(std::size_t micro_batches) { passes_ -= micro_batches * chunks_; }

  [[nodiscard]] Op at(std::size_t k) const {
    if (k < warm_) {
      return pass(true, k);
    }
    const std::size_t steady = 2 * (passes_ - warm_);
    if (k < warm_ + steady) {
      const std::size_t step = k - warm_;
      return step % 2 == 0 ? pass(true, warm_ + step / 2) : pass(false, step / 2);
    }
    return pass(false, passes_ - warm_ + (k - warm_ - steady));
  }

 private:
  [[nodiscard]] Op pass(bool forward, std::size_t k) const {
    if (chunks_ == 1) {
      return {forward, 0, k};
    }
    const std::size_t round = depth_ * chunks_;
    const std::size_t turn = k % round / depth_;
    return {forward, forward ? turn : chunks_ - 1 - turn, k / round * depth_ + k % depth_};
  }

  std::size_t passes_;
  std::size_t chunks_;
  std::size_t depth_;
  std::size_t warm_;
};

// Where every device repeats what it did some micro-batches before, only later, it does so until
// the passes run out: those rounds are counted, not played. Differences to a whole run are those of
// rounding.
class Player {
 public:
  Player(const std::vector<PipelineStage>& stages, std::size_t micro_batches, std::size_t chunks)
      : stages_(stages), batch_(micro_batches), chunks_(chunks), depth_(stages.size() / chunks) {
    std::size_t downstream = 0;
    for (std::size_t q = depth_; q-- > 0;) {
      const std::size_t own = stages[q].replicas;
      downstream += own;
      repeats_ = repeats_ && own == 1;
      for (std::size_t r = 0; r < own; ++r) {
        const std::size_t mine = (batch_ + own - 1 - r) / own;
        const std::size_t warm = chunks_ == 1 ? (downstream + own - 1) / own - 1
                                              : 2 * (depth_ - q - 1) + (chunks_ - 1) * depth_;
        devices_.push_back({q,
                            r,
                            {mine, chunks_, depth_, warm},
                            0,
                            0.0,
                            {},
                            std::vector<std::size_t>(chunks_, 0)});
        window_ = std::max(window_, 2 * (devices_.back().order.warm() + 2));
      }
    }
    next_look_ = 2 * window_;
    run_.peak_bytes.assign(depth_, 0.0);
    run_.in_flight.assign(stages.size(), 0);
  }

  PipelineRun play() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Device& device : devices_) {
        while (step(device)) {
          moved = true;
        }
      }
      if (repeats_ && devices_.front().next >= next_look_) {
        look_for_rounds();
      }
    }
    for (const Device& device : devices_) {
      if (device.next != device.order.size()) {
        throw InternalError("pipeline schedule: stage " + std::to_string(device.stage + 1) +
                            " waits for ever after " + std::to_string(device.next) + " of " +
                            std::to_string(device.order.size()) + " passes");
      }
      run_.seconds = std::max(run_.seconds, device.clock);
    }
    run_.seconds += left_out_seconds_;
    return std::move(run_);
  }

 private:
  struct Device {
    std::size_t stage;
    std::size_t replica;
    DeviceOrder order;
    std::size_t next;
    double clock;
    std::vector<double> ends;       // of all ops so far
    std::vector<std::size_t> live;  // [chunk] micro-batches whose activations are there
  };

  bool step(Device& device) {
    if (device.next == device.order.size()) {
      return false;
    }
    const Op op = device.order.at(device.next);
    const std::size_t q = op.chunk * depth_ + device.stage;
    const std::size_t i = op.nth * stages_[q].replicas + device.replica;
    double ready = 0.0;
    if (op.forward && q > 0) {
      const double end = end_of(forward_end_, q - 1, i);
      ready = end == kPending ? kPending : end + stages_[q - 1].link_seconds;
    } else if (!op.forward && q + 1 < stages_.size()) {
      const double end = end_of(backward_end_, q + 1, i);
      ready = end == kPending ? kPending : end + stages_[q].link_seconds;
    }
    if (ready == kPending) {
      return false;
    }
    device.clock = std::max(device.clock, ready) +
                   (op.forward ? stages_[q].forward_seconds : stages_[q].backward_seconds);
    set_end(op.forward ? forward_end_ : backward_end_, q, i, device.clock);
    if (repeats_) {
      device.ends.push_back(device.clock);
    }
    if (op.forward) {
      ++device.live[op.chunk];
      note_memory(device);
    } else {
      --device.live[op.chunk];
    }
    ++device.next;
    return true;
  }

  // [micro-batch x stage], as long as what has been played.
  [[nodiscard]] double end_of(const std::vector<double>& ends, std::size_t q, std::size_t i) const {
    const std::size_t at = i * stages_.size() + q;
    return at < ends.size() ? ends[at] : kPending;
  }
  void set_end(std::vector<double>& ends, std::size_t q, std::size_t i, double clock) const {
    if (ends.size() < (i + 1) * stages_.size()) {
      ends.resize((i + 1) * stages_.size(), kPending);
    }
    ends[i * stages_.size() + q] = clock;
  }

  // Tries rounds of more and more micro-batches; looks again later if none repeats yet.
  void look_for_rounds() {
    const std::size_t unit = chunks_ == 1 ? 1 : depth_;
    for (std::size_t k = 1; k <= kMostRounds; ++k) {
      const double shift = shift_of(k * unit);
      if (shift > 0.0) {
        leave_out(k * unit, shift);
        repeats_ = false;
        return;
      }
    }
    next_look_ += next_look_ / 2;
  }

  // Seconds by which all devices do their last ops later than those `round` micro-batches before;
  // 0 if they do not do so alike. Every op depends on such as lie at most window_ ops back.
  [[nodiscard]] double shift_of(std::size_t round) const {
    const std::size_t ops = 2 * round * chunks_;
    double shift = 0.0;
    for (const Device& device : devices_) {
      if (device.next < device.order.warm() + window_ + ops ||
          device.order.steady_after(device.next) == 0) {
        return 0.0;
      }
      for (std::size_t k = 0; k < window_; ++k) {
        const std::size_t at = device.next - 1 - k;
        const double here = device.ends[at] - device.ends[at - ops];
        shift = shift == 0.0 ? here : shift;
        if (std::abs(here - shift) > kSameSeconds * device.clock) {
          return 0.0;
        }
      }
    }
    return shift;
  }

  void leave_out(std::size_t round, double shift) {
    const std::size_t ops = 2 * round * chunks_;
    std::size_t rounds = batch_;
    for (const Device& device : devices_) {
      rounds = std::min(rounds, (device.order.steady_after(device.next) - 1) / ops);
    }
    for (Device& device : devices_) {
      device.order.shorten(rounds * round);
    }
    left_out_seconds_ = static_cast<double>(rounds) * shift;
  }

  void note_memory(const Device& device) {
    double bytes = 0.0;
    for (std::size_t c = 0; c < chunks_; ++c) {
      const std::size_t q = c * depth_ + device.stage;
      bytes += static_cast<double>(device.live[c]) * stages_[q].saved_bytes;
      run_.in_flight[q] = std::max(run_.in_flight[q], device.live[c]);
    }
    run_.peak_bytes[device.stage] = std::max(run_.peak_bytes[device.stage], bytes);
  }

  static constexpr std::size_t kMostRounds = 8;
  static constexpr double kSameSeconds = 1e-13;  // of the time so far

  const std::vector<PipelineStage>& stages_;
  std::size_t batch_;
  std::size_t chunks_;
  std::size_t depth_;
  std::vector<double> forward_end_, backward_end_;
  std::vector<Device> devices_;  // last stage first
  bool repeats_ = true;          // single replicas, whose rounds are still looked for
  std::size_t window_ = 0;
  std::size_t next_look_ = 0;
  double left_out_seconds_ = 0.0;
  PipelineRun run_;
};

}  // namespace

PipelineRun play_pipeline(const std::vector<PipelineStage>& stages,
                          std::size_t micro_batches,
                          std::size_t chunks) {
  if (stages.empty() || micro_batches == 0) {
    return {};
  }
  if (chunks == 0 || stages.size() % chunks != 0 ||
      (chunks > 1 && micro_batches % (stages.size() / chunks) != 0)) {
    throw InputError("pipeline of " + std::to_string(stages.size()) + " stages in " +
                     std::to_string(chunks) + " chunks with " + std::to_string(micro_batches) +
                     " micro-batches; expected stages that divide by the chunks, and micro-batches "
                     "by the depth");
  }
  for (const PipelineStage& stage : stages) {
    if (stage.replicas == 0 || (chunks > 1 && stage.replicas != 1)) {
      throw InputError("pipeline stage with " + std::to_string(stage.replicas) +
                       " replicas; expected 1 or more, and 1 where chunks interleave");
    }
  }
  return Player(stages, micro_batches, chunks).play();
}

double simulate_1f1b(const std::vector<PipelineStage>& stages, std::size_t micro_batches) {
  return play_pipeline(stages, micro_batches, 1).seconds;
}

}  // namespace abi_v1
}  // namespace berth

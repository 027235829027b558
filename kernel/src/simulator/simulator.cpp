// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/simulator.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "berth/error.hpp"

#include "delay_fifo.hpp"
#include "delay_network.hpp"
#include "event_list.hpp"
#include "fair_sharing.hpp"
#include "general_engine.hpp"
#include "link_reservations.hpp"
#include "links_fifo.hpp"
#include "packed_problem.hpp"
#include "pull_network.hpp"
#include "reference_order.hpp"
#include "streams.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

using namespace internal;  // NOLINT(google-build-using-namespace): this file joins the engines.

}  // namespace

/// Picks the engine for a call. Engines are made when first needed.
class Simulator::Engine {
 public:
  explicit Engine(const PlacementProblem& problem) : packed_(problem) {
    const ExecutionOptions& options = problem.execution;
    if (!packed_.time_passes || options.streams != 1) {
      return;
    }
    if (options.model == ExecutionModel::kDelay) {
      delay_.emplace(packed_);
    } else if (options.model == ExecutionModel::kLinks) {
      links_.emplace(packed_);
    }
  }

  [[nodiscard]] const PlacementProblem& problem() const noexcept { return *packed_.problem; }

  double run(std::span<const DeviceId> device, std::span<const double> order, Trace* trace) {
    BERTH_DCHECK(device.size() == packed_.num_ops, "one device per op");
    BERTH_DCHECK(order.empty() || order.size() == packed_.num_ops, "one order value per op");
    if (!packed_.is_legal(device)) {
      return kInfinity;
    }
    const Discipline discipline = resolve(order);
    if (discipline == Discipline::kFifo && trace == nullptr) {
      if (delay_) {
        const double makespan = delay_->run(device);
        finish_sum_ = delay_->finish_sum();
        return makespan;
      }
      if (links_) {
        const double makespan = links_->run(device);
        finish_sum_ = links_->finish_sum();
        return makespan;
      }
    }
    const double makespan = general().run(device, order, discipline, trace);
    finish_sum_ = general_->finish_sum();
    return makespan;
  }

  [[nodiscard]] double mean_finish() const noexcept {
    return packed_.num_ops == 0 ? 0.0 : finish_sum_ / static_cast<double>(packed_.num_ops);
  }

  double run_checked(const Placement& placement, Trace* trace) {
    check_placement(problem(), placement);
    const double makespan = run(placement.device, placement.order, trace);
    if (makespan == kInfinity) {
      throw InputError("placement: the static order of '" + problem().graph.name() +
                       "' deadlocks: " + general().explain_deadlock());
    }
    return makespan;
  }

 private:
  [[nodiscard]] Discipline resolve(std::span<const double> order) const noexcept {
    const Discipline discipline = problem().execution.discipline;
    if (discipline != Discipline::kAuto) {
      return discipline;
    }
    return order.empty() ? Discipline::kFifo : Discipline::kStaticOrder;
  }

  GeneralEngine& general() {
    if (general_ == nullptr) {
      switch (problem().execution.model) {
        case ExecutionModel::kDelay:
          general_ = std::make_unique<EventList<DelayNetwork>>(packed_);
          break;
        case ExecutionModel::kDopplerReference:
          general_ = std::make_unique<ReferenceOrder>(packed_);
          break;
        case ExecutionModel::kLinks:
          general_ = std::make_unique<EventList<LinkReservations>>(packed_);
          break;
        case ExecutionModel::kFair:
          general_ = std::make_unique<EventList<FairSharing>>(packed_);
          break;
        case ExecutionModel::kPull:
          general_ = std::make_unique<EventList<PullNetwork>>(packed_);
          break;
      }
    }
    return *general_;
  }

  PackedProblem packed_;
  std::optional<DelayFifo> delay_;
  std::optional<LinksFifo> links_;
  std::unique_ptr<GeneralEngine> general_;
  double finish_sum_ = 0.0;
};

Simulator::Simulator(const PlacementProblem& problem)
    : engine_(std::make_unique<Engine>(problem)) {}
Simulator::~Simulator() = default;

double Simulator::makespan(std::span<const DeviceId> device) {
  return engine_->run(device, {}, nullptr);
}

double Simulator::makespan(std::span<const DeviceId> device, std::span<const double> order) {
  return engine_->run(device, order, nullptr);
}

double Simulator::makespan(const Placement& placement) {
  return engine_->run_checked(placement, nullptr);
}

double Simulator::mean_finish() const noexcept {
  return engine_->mean_finish();
}

Trace Simulator::trace(const Placement& placement) {
  Trace trace;
  trace.seconds_per_unit = engine_->problem().costs.seconds_per_unit;
  trace.ops.resize(engine_->problem().graph.num_ops());
  trace.makespan = engine_->run_checked(placement, &trace);
  const auto key = [](const TransferInterval& t) {
    return std::tie(t.start, t.producer, t.to, t.consumer);
  };
  std::sort(
      trace.transfers.begin(),
      trace.transfers.end(),
      [&key](const TransferInterval& a, const TransferInterval& b) { return key(a) < key(b); });
  assign_streams(
      trace, engine_->problem().topology.num_devices(), engine_->problem().execution.streams);
  return trace;
}

}  // namespace abi_v1
}  // namespace berth

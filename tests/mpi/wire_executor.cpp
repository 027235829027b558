// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// An executor whose ranks are processes: devices that are played on the host, results that go
// through shared memory, and, if asked, a rank that fails. For the tests of `berth execute` under
// mpirun.

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>

#include "berth/plugin.hpp"

#include "core/shared_ring.hpp"
#include "core/stream_executor.hpp"
#include "unit/executors/broken_driver.hpp"
#include "unit/executors/host_driver.hpp"

namespace {

using namespace berth::executors;  // NOLINT(google-build-using-namespace)
using berth::testing::BrokenDriver;
using berth::testing::HostDriver;

constexpr berth_option_spec kWireOptions[] = {
    {"bad_rank", BERTH_OPTION_INTEGER, "-1", -1, 1e9, "", "", "Rank that does what `how` says."},
    {"how", BERTH_OPTION_CHOICE, "throw", 0, 0, "", "throw,kill,stop,hang,full", ""},
    {"bad_call", BERTH_OPTION_INTEGER, "1", 1, 1e9, "", "", "Its launch that fails, from 1."},
};

/// What a rank that is to fail does.
void fail(const std::string& how) {
  if (how == "throw") {
    throw berth::RunError("a planned failure");
  }
  if (how == "kill" || how == "stop") {
    ::raise(how == "kill" ? SIGKILL : SIGSTOP);
  }
  while (how == "hang") {
    ::pause();
  }
}

/// Halves that move chunk by chunk through the rings.
class WireLink final : public RankLink {
 public:
  WireLink(SharedRings rings, HostDriver& driver, const DeviceShare& share)
      : rings_(std::move(rings)), driver_(driver), share_(share) {}

  void connect(std::span<const DevicePair>) override {
    for (auto* const side : {&rings_.to, &rings_.from}) {
      for (const auto& ring : *side) {
        if (ring != nullptr) {
          ring->restart();
        }
      }
    }
  }
  void send(StreamId stream, const float* from, const RankTransfer& transfer) override {
    SharedRing& ring = *rings_.to[share_.owner(transfer.devices.to)];
    const auto* const bytes = reinterpret_cast<const std::byte*>(from);
    put(stream, ring, transfer, [&ring, bytes](std::uint64_t chunk, std::size_t at, std::size_t n) {
      const std::atomic_ref taken(ring.slot(chunk).taken);
      if (taken.load() + 1 < SharedRing::use(chunk)) {
        return false;
      }
      std::memcpy(ring.data(chunk), bytes + at, n);
      std::atomic_ref(ring.slot(chunk).full).store(SharedRing::use(chunk));
      return true;
    });
  }
  void receive(StreamId stream, float* to, const RankTransfer& transfer) override {
    SharedRing& ring = *rings_.from[share_.owner(transfer.devices.from)];
    auto* const bytes = reinterpret_cast<std::byte*>(to);
    put(stream, ring, transfer, [&ring, bytes](std::uint64_t chunk, std::size_t at, std::size_t n) {
      const std::atomic_ref full(ring.slot(chunk).full);
      if (full.load() < SharedRing::use(chunk)) {
        return false;
      }
      std::memcpy(bytes + at, ring.data(chunk), n);
      std::atomic_ref(ring.slot(chunk).taken).store(SharedRing::use(chunk));
      return true;
    });
  }
  std::string failure() override { return {}; }
  void abort() noexcept override { *aborted_ = true; }
  std::string description() const override { return "shared memory"; }

 private:
  /// @param move (chunk, first byte, bytes) moves one, or says that it cannot yet.
  template <class Move>
  void put(StreamId stream, SharedRing& ring, const RankTransfer& transfer, const Move& move) {
    std::vector<std::uint64_t> chunks;
    for (std::uint64_t at = 0; at < transfer.bytes; at += SharedRing::kSlotBytes) {
      chunks.push_back(ring.next());
    }
    driver_.put_half(
        stream,
        0.0,
        [this, chunks, move, moved = std::size_t{0}, bytes = transfer.bytes](double&) mutable {
          while (!*aborted_ && moved < chunks.size()) {
            const std::size_t at = moved * SharedRing::kSlotBytes;
            if (!move(chunks[moved], at, std::min(SharedRing::kSlotBytes, bytes - at))) {
              return false;
            }
            ++moved;
          }
          return true;
        });
  }

  SharedRings rings_;
  HostDriver& driver_;
  DeviceShare share_;
  std::shared_ptr<bool> aborted_ = std::make_shared<bool>(false);
};

/// A stream executor that writes its results to the file that an environment variable names.
class WireExecutor final : public berth::DeviceExecutor {
 public:
  WireExecutor(const berth::PlacementProblem& problem,
               std::unique_ptr<StreamExecutor> inner,
               bool writes)
      : problem_(problem), inner_(std::move(inner)), writes_(writes) {}

  double makespan(const berth::Placement& placement) override {
    return inner_->makespan(placement);
  }
  berth::Trace trace(const berth::Placement& placement) override {
    return inner_->trace(placement);
  }
  berth::Measurement measure(const berth::Placement& placement,
                             const berth::MeasureSpec& spec) override {
    berth::Measurement found = inner_->measure(placement, spec);
    const char* const file = std::getenv("BERTH_TEST_RESULTS");
    if (file == nullptr || found.status != berth::RolloutStatus::kOk) {
      return found;
    }
    std::ofstream out;
    if (writes_) {
      out.open(file, std::ios::binary | std::ios::app);
    }
    for (std::size_t v = 0; v < problem_.graph.num_ops(); ++v) {
      const std::vector<float> values = inner_->output(berth::to_id<berth::OpId>(v));
      out.write(reinterpret_cast<const char*>(values.data()),
                static_cast<std::streamsize>(values.size() * sizeof(float)));
    }
    return found;
  }
  berth::Trace last_trace() const override { return inner_->last_trace(); }
  std::vector<float> output(berth::OpId op) const override { return inner_->output(op); }
  std::string description() const override { return inner_->description(); }

 private:
  const berth::PlacementProblem& problem_;
  std::unique_ptr<StreamExecutor> inner_;
  bool writes_;
};

class Wire final : public berth::ExecutorFactory {
 public:
  std::unique_ptr<berth::DeviceExecutor> open(const berth::PlacementProblem& problem) override {
    auto driver = std::make_unique<HostDriver>(problem.topology.num_devices(), 1);
    return std::make_unique<WireExecutor>(
        problem,
        std::make_unique<StreamExecutor>(problem, StreamOptions{}, std::move(driver)),
        /*writes=*/true);
  }
};

class RankWire final : public berth::RankExecutorFactory {
 public:
  explicit RankWire(const berth::Config& config) : config_(config) {}
  std::unique_ptr<berth::DeviceExecutor> open(const berth::PlacementProblem& problem,
                                              berth::PeerGroup& group) override {
    const DeviceShare share = share_devices(problem.topology.num_devices(), group);
    std::vector<char> others(group.size(), 1);
    others[group.rank()] = 0;
    const std::string how = config_.integer("bad_rank") == group.rank() ? config_.text("how") : "";
    auto host = std::make_unique<HostDriver>(share.count(), 1, how == "full" ? 1000.0 : 0.0);
    auto link = std::make_unique<WireLink>(open_rings(group, others), *host, share);
    auto driver = std::make_unique<BrokenDriver>(
        std::move(host), config_.integer("bad_call") - 1, [how] { fail(how); });
    return std::make_unique<WireExecutor>(
        problem,
        std::make_unique<StreamExecutor>(
            problem, StreamOptions{}, RankDevices{std::move(driver), std::move(link)}, group),
        group.rank() == 0);
  }

 private:
  berth::Config config_;
};

std::unique_ptr<berth::ExecutorFactory> make_wire(const berth::HostServices&) {
  return std::make_unique<Wire>();
}
std::unique_ptr<berth::RankExecutorFactory> make_rank_wire(const berth::HostServices& host) {
  return std::make_unique<RankWire>(*host.config);
}

}  // namespace

BERTH_PLUGIN("wire",
             "1.0",
             berth::offer<berth::ExecutorFactory, make_wire>("wire",
                                                             "Devices played on the host.",
                                                             kWireOptions),
             berth::offer<berth::RankExecutorFactory, make_rank_wire>("wire",
                                                                      "Those of several ranks.",
                                                                      kWireOptions))

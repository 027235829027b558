// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/problem.hpp"

#include "device_driver.hpp"
#include "device_memory.hpp"
#include "device_share.hpp"
#include "op_shape.hpp"
#include "rank_link.hpp"
#include "run_record.hpp"
#include "stream_plan.hpp"

namespace berth::executors {

/// When tasks are put on streams.
enum class DispatchMode : std::uint8_t {
  /// All at once, before anything runs: order and streams are planned with the costs of the
  /// problem, dependencies are events that streams wait for. No host stands between two ops.
  kAhead,
  /// Each when its inputs are there and a stream is free, by the host: exactly work-conserving, at
  /// the price of a round trip to the host after every task.
  kReady,
};

struct StreamOptions {
  std::uint32_t copy_streams = 2;  ///< Of a device, for transfers that it receives.
  DispatchMode dispatch = DispatchMode::kAhead;
  bool graphs = false;   ///< Repeats replay a captured run; kAhead alone.
  bool op_times = true;  ///< Events around every task.
  /// Transfers take at least as long as the topology says; always for graphs whose costs are times.
  bool emulate_links = false;
  double latency_seconds = 0.0;   ///< Instead of the topology's, if either is above 0.
  double bytes_per_second = 0.0;  ///< 0: no limit.
};

/// A rank's devices, and how results get to and from those of other ranks; a link is needed only
/// where there are others. A device has the problem's compute streams, the options' copy streams
/// and, where there is a link, as many again for what it sends.
struct RankDevices {
  std::unique_ptr<DeviceDriver> driver;
  std::unique_ptr<RankLink> link;  ///< Uses the driver.
};

/// Runs placements on devices with streams, whatever is behind the driver: of a whole run, that is
/// planned alike on every rank, what the rank's own devices do. The arenas, inputs, kernel calls
/// and the stream plan of the last placement stay.
class StreamRunner {
 public:
  /// The problem must outlive the runner.
  StreamRunner(const PlacementProblem& problem,
               const StreamOptions& options,
               RankDevices devices,
               const DeviceShare& share);

  /// Plans and makes room. @return why there is no room.
  /// @throws InputError as make_execution_plan().
  [[nodiscard]] std::optional<std::string> prepare(const Placement& placement);
  /// Makes ready for the transfers between ranks; collective. @pre the last prepare() made room.
  void connect();
  /// Seconds until all that is here has ended; none if it was given up after `timeout_seconds`,
  /// and goes on. @throws RunError if it will never end, as the link to other ranks failed.
  [[nodiscard]] std::optional<double> run_once(double timeout_seconds);
  /// Ends a run that was given up, here or on another rank, all of which call it.
  /// @param silence_seconds that another rank may keep it from ending; 0: for ever.
  /// @throws RunError naming a rank that does.
  void drain(double silence_seconds);
  /// Ends what waits for other ranks, which may never answer; no run is possible from then on.
  void abandon();

  /// Of the last placement that there was room for.
  [[nodiscard]] const ExecutionPlan& plan() const noexcept { return plan_; }
  /// Starts, ends and streams of the last run that was timed, of what is here.
  [[nodiscard]] const RunRecord& record() const noexcept { return record_; }
  /// The result of an op on an own device.
  [[nodiscard]] std::vector<float> result(std::uint32_t op) const;
  /// What the devices are.
  [[nodiscard]] std::string devices() const { return driver_->description(); }
  /// How results get from rank to rank; empty where there is one.
  [[nodiscard]] std::string link() const { return link_ ? link_->description() : ""; }
  /// How tasks get onto the devices, and what is emulated.
  [[nodiscard]] std::string manner() const;

 private:
  [[nodiscard]] std::vector<double> expected_seconds() const;
  [[nodiscard]] double link_seconds(const ExecutionPlan::Transfer& transfer) const;
  void choose_events();
  [[nodiscard]] bool run_ahead(double deadline);
  [[nodiscard]] bool run_ready(double deadline);
  [[nodiscard]] bool await(std::uint32_t event, double deadline);
  [[nodiscard]] std::string silent_rank();
  void issue_all(bool timed);
  void issue(std::uint32_t task, StreamId stream, bool timed);
  void issue_send(std::uint32_t task, bool timed);
  [[nodiscard]] RankTransfer rank_transfer(const ExecutionPlan::Transfer& transfer) const;
  [[nodiscard]] const std::vector<KernelCall>& calls_of(std::uint32_t op, std::uint32_t number);
  void capture();
  void read_times();
  /// Whether the task is a transfer of an own device to one of another rank.
  [[nodiscard]] bool is_sent(std::uint32_t task) const noexcept {
    return plan_.is_transfer(task) && share_.owns(plan_.transfer_of(task).from) &&
           !share_.owns(plan_.transfer_of(task).to);
  }
  /// The stream of an own device, as the driver numbers it.
  [[nodiscard]] StreamId local(StreamId stream) const noexcept {
    return {share_.local(stream.device), stream.number};
  }
  [[nodiscard]] std::uint32_t start_event(std::uint32_t task) const noexcept {
    return static_cast<std::uint32_t>(plan_.num_tasks()) + task;
  }
  [[nodiscard]] std::uint32_t replay_event() const noexcept {
    return static_cast<std::uint32_t>(2 * plan_.num_tasks());
  }

  const PlacementProblem& problem_;
  StreamOptions options_;
  StreamSpec streams_;
  DeviceShare share_;
  OpShapes shapes_;
  std::unique_ptr<DeviceDriver> driver_;
  DeviceMemory memory_;
  std::unique_ptr<RankLink> link_;  ///< None: all devices are here. Goes before the memory it uses.

  Placement placement_;  ///< The one that is prepared; empty if none.
  ExecutionPlan plan_;
  std::optional<Producers> producers_;
  StreamPlan stream_plan_;
  std::vector<char> is_recorded_;               ///< [tasks] the event of its end is, in every run.
  std::vector<std::uint32_t> awaited_;          ///< Own tasks with which a run ends here.
  std::vector<std::vector<KernelCall>> calls_;  ///< [ops]
  std::vector<std::uint32_t> calls_stream_;     ///< [ops] for whose workspace they are.
  bool captured_ = false;
  RunRecord record_;
};

}  // namespace berth::executors

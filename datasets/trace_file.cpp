// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "trace_file.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "atomic_file.hpp"
#include "json_text.hpp"
#include "numbers.hpp"

namespace berth::datasets {
namespace {

constexpr int kDevices = 1;    ///< Process of the devices, one thread for each device and stream.
constexpr int kTransfers = 2;  ///< Process of the transfers, threads for each pair of devices.

/// Slices of one thread must not overlap, yet transfers of one pair may: each pair gets as many
/// threads ("lanes") as it has transfers at once.
class Lanes {
 public:
  /// The thread of a transfer; transfers must come by start time.
  std::size_t place(std::pair<std::size_t, std::size_t> pair, double start, double finish) {
    auto& lanes = by_pair_[pair];
    const auto free = std::find_if(
        lanes.begin(), lanes.end(), [&](const Lane& lane) { return lane.busy_until <= start; });
    if (free != lanes.end()) {
      free->busy_until = finish;
      return free->thread;
    }
    lanes.push_back({next_thread_, finish});
    names_.emplace_back(next_thread_, pair);
    return next_thread_++;
  }

  [[nodiscard]] const std::vector<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>>&
  threads() const {
    return names_;
  }

 private:
  struct Lane {
    std::size_t thread = 0;
    double busy_until = 0.0;
  };
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Lane>> by_pair_;
  std::vector<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>> names_;
  std::size_t next_thread_ = 0;
};

/// Appends the events of one trace in the JSON array form of the Chrome trace event format.
class TraceText {
 public:
  explicit TraceText(double microseconds_per_unit) : scale_(microseconds_per_unit) {}

  void slice(int process,
             std::size_t thread,
             const std::string& name,
             double start,
             double finish,
             const std::string& arguments) {
    open('X', process, thread, start);
    out_ += ",\"dur\":" + number_text((finish - start) * scale_) + ",\"name\":";
    append_json_string(out_, name);
    out_ += arguments + "}";
  }
  /// One end of an arrow: 's' starts it, 'f' ends it at the slice that encloses `time`.
  void arrow(char phase, int process, std::size_t thread, double time, std::size_t id) {
    open(phase, process, thread, time);
    out_ += ",\"cat\":\"data\",\"name\":\"data\",\"id\":" + std::to_string(id) +
            (phase == 'f' ? ",\"bp\":\"e\"}" : "}");
  }
  void name(const char* what, int process, std::size_t thread, const std::string& name) {
    out_ += separator_ + std::string("{\"ph\":\"M\",\"pid\":") + std::to_string(process) +
            ",\"tid\":" + std::to_string(thread) + ",\"name\":\"" + what + "\",\"args\":{\"name\":";
    separator_ = ",\n";
    append_json_string(out_, name);
    out_ += "}}";
  }
  [[nodiscard]] std::string finish() && { return std::move(out_) + "\n]}\n"; }

 private:
  void open(char phase, int process, std::size_t thread, double time) {
    out_ += separator_ + std::string("{\"ph\":\"") + phase +
            "\",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(thread) +
            ",\"ts\":" + number_text(time * scale_);
    separator_ = ",\n";
  }

  double scale_;
  const char* separator_ = "\n";
  std::string out_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
};

std::size_t thread_of(const OpInterval& op, std::size_t streams) {
  return index(op.device) * streams + op.stream;
}

}  // namespace

void write_chrome_trace(const Trace& trace,
                        const Graph& graph,
                        const Topology& topology,
                        const std::filesystem::path& file) {
  std::size_t streams = 1;
  for (const OpInterval& op : trace.ops) {
    streams = std::max<std::size_t>(streams, op.stream + 1U);
  }
  TraceText text(trace.seconds_per_unit * 1e6);
  text.name("process_name", kDevices, 0, "devices");
  text.name("process_name", kTransfers, 0, "transfers");
  for (std::size_t d = 0; d < topology.num_devices(); ++d) {
    for (std::size_t s = 0; s < streams; ++s) {
      text.name("thread_name",
                kDevices,
                d * streams + s,
                topology.device(to_id<DeviceId>(d)).name +
                    (streams > 1 ? " stream " + std::to_string(s) : ""));
    }
  }
  for (const OpInterval& op : trace.ops) {
    std::string arguments = ",\"args\":{\"op\":" + std::to_string(index(op.op)) + ",\"kind\":";
    append_json_string(arguments, graph.kind(op.op));
    arguments +=
        ",\"waited_us\":" + number_text((op.start - op.ready) * trace.seconds_per_unit * 1e6) + "}";
    text.slice(
        kDevices, thread_of(op, streams), graph.op_name(op.op), op.start, op.finish, arguments);
  }
  Lanes lanes;
  std::size_t arrow = 0;
  for (const TransferInterval& transfer : trace.transfers) {
    const std::size_t lane =
        lanes.place({index(transfer.from), index(transfer.to)}, transfer.start, transfer.finish);
    text.slice(kTransfers,
               lane,
               graph.op_name(transfer.producer),
               transfer.start,
               transfer.finish,
               ",\"args\":{\"consumer\":" + std::to_string(index(transfer.consumer)) + "}");
    const OpInterval& producer = trace.ops[index(transfer.producer)];
    const OpInterval& consumer = trace.ops[index(transfer.consumer)];
    // Arrows start inside the producer's slice, end inside the consumer's, by way of the transfer.
    text.arrow('s', kDevices, thread_of(producer, streams), producer.start, arrow);
    text.arrow('f', kTransfers, lane, transfer.start, arrow++);
    text.arrow('s', kTransfers, lane, transfer.start, arrow);
    text.arrow('f', kDevices, thread_of(consumer, streams), consumer.start, arrow++);
  }
  for (const auto& [thread, pair] : lanes.threads()) {
    text.name("thread_name",
              kTransfers,
              thread,
              topology.device(to_id<DeviceId>(pair.first)).name + " -> " +
                  topology.device(to_id<DeviceId>(pair.second)).name);
  }
  write_atomically(file, std::move(text).finish());
}

}  // namespace berth::datasets

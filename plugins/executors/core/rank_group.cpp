// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "rank_group.hpp"

#include <algorithm>
#include <cstring>

#include "berth/error.hpp"

namespace berth::executors {
namespace {

constexpr double kGaveUp = -1.0;

template <class Value>
std::string bytes_of(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

template <class Value>
std::vector<Value> values_of(const std::string& bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

/// All that decides which runs are made, and with which limits.
std::string request_of(const Placement& placement, const MeasureSpec& spec) {
  return bytes_of(placement.device) + ";" + bytes_of(placement.order) + ";" +
         bytes_of(std::vector<double>{static_cast<double>(spec.warm_up),
                                      static_cast<double>(spec.repeats),
                                      spec.timeout_seconds});
}

}  // namespace

DeviceShare share_devices(std::size_t devices, const PeerGroup& peers) {
  if (peers.size() > devices) {
    throw InputError(std::to_string(peers.size()) + " ranks for " + std::to_string(devices) +
                     " devices; expected at most a rank a device");
  }
  return DeviceShare(devices, peers.size(), peers.rank());
}

RankGroup::RankGroup(std::size_t devices, PeerGroup& peers)
    : peers_(peers.size() > 1 ? &peers : nullptr), share_(share_devices(devices, peers)) {}

void RankGroup::expect_equal(const std::string& mine, const char* what) {
  if (peers_ == nullptr) {
    return;
  }
  const std::vector<std::string> texts = peers_->all_gather(mine, what, 0.0);
  const auto other =
      std::ranges::find_if(texts, [&](const auto& text) { return text != texts[0]; });
  if (other != texts.end()) {
    throw InputError("rank " + std::to_string(other - texts.begin()) + " has another " + what +
                     " than rank 0; expected the same on every rank");
  }
}

std::optional<std::string> RankGroup::agree(const Placement& placement,
                                            const MeasureSpec& spec,
                                            const std::optional<std::string>& reason) {
  if (peers_ == nullptr) {
    return reason;
  }
  expect_equal(request_of(placement, spec), "placement or number of runs");
  const auto reasons = peers_->all_gather(reason.value_or(""), "preparation of a run", 0.0);
  for (std::size_t rank = 0; rank < reasons.size(); ++rank) {
    if (!reasons[rank].empty()) {
      return "rank " + std::to_string(rank) + ": " + reasons[rank];
    }
  }
  return std::nullopt;
}

void RankGroup::start() {
  if (peers_ != nullptr) {
    static_cast<void>(peers_->all_gather({}, "start of a run", 0.0));
  }
}

std::optional<double> RankGroup::slowest(std::optional<double> seconds, double timeout_seconds) {
  if (peers_ == nullptr) {
    return seconds;
  }
  double longest = 0.0;
  for (const std::string& bytes :
       peers_->all_gather(bytes_of(std::vector<double>{seconds.value_or(kGaveUp)}),
                          "end of a run",
                          timeout_seconds)) {
    const double theirs = values_of<double>(bytes)[0];
    longest = theirs == kGaveUp || longest == kGaveUp ? kGaveUp : std::max(longest, theirs);
  }
  return longest == kGaveUp ? std::nullopt : std::optional(longest);
}

RunRecord RankGroup::merged(const RunRecord& mine, const ExecutionPlan& plan) const {
  RunRecord all = mine;
  if (peers_ == nullptr) {
    return all;
  }
  const std::size_t tasks = plan.num_tasks();
  std::vector<double> columns(mine.start);
  columns.insert(columns.end(), mine.finish.begin(), mine.finish.end());
  columns.insert(columns.end(), mine.stream.begin(), mine.stream.end());
  std::vector<std::vector<double>> parts;
  for (const std::string& bytes : peers_->all_gather(bytes_of(columns), "times of a run", 0.0)) {
    parts.push_back(values_of<double>(bytes));
  }
  for (std::uint32_t task = 0; task < tasks; ++task) {
    const std::uint32_t device = plan.device[task];
    const std::uint32_t from = plan.is_transfer(task) ? plan.transfer_of(task).from : device;
    const std::vector<double>& arrival = parts[share_.owner(device)];
    all.start[task] = parts[share_.owner(from)][task];
    all.finish[task] = arrival[tasks + task];
    all.stream[task] = static_cast<std::uint32_t>(arrival[2 * tasks + task]);
  }
  return all;
}

std::vector<float> RankGroup::from_owner(std::uint32_t device, std::vector<float> values) const {
  if (peers_ == nullptr) {
    return values;
  }
  return values_of<float>(
      peers_->all_gather(bytes_of(values), "a result", 0.0)[share_.owner(device)]);
}

std::string RankGroup::join(const std::string& mine) {
  if (peers_ == nullptr) {
    return mine;
  }
  std::vector<std::string> texts = peers_->all_gather(mine, "what devices are there", 0.0);
  const std::string ranks = std::to_string(texts.size()) + " ranks";
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  std::string text = ranks + (texts.size() == 1 ? " of " : ": ") + texts[0];
  for (std::size_t i = 1; i < texts.size(); ++i) {
    text += " + " + texts[i];
  }
  return text;
}

}  // namespace berth::executors

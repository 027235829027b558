// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "core/device_driver.hpp"

namespace berth::testing {

using executors::CopyCall;
using executors::DeviceDriver;
using executors::KernelCall;
using executors::StreamId;

/// A driver of which one launch does what a test wants.
class BrokenDriver final : public DeviceDriver {
 public:
  /// @param launches that are sound before it.
  BrokenDriver(std::unique_ptr<DeviceDriver> inner,
               std::int64_t launches,
               std::function<void()> fail)
      : inner_(std::move(inner)), left_(launches), fail_(std::move(fail)) {}

  void launch(StreamId stream, std::span<const KernelCall> calls) override {
    if (left_-- == 0) {
      fail_();
    }
    inner_->launch(stream, calls);
  }
  float* allocate(std::uint32_t device, std::uint64_t bytes) override {
    return inner_->allocate(device, bytes);
  }
  void release(std::uint32_t device, float* memory) noexcept override {
    inner_->release(device, memory);
  }
  void write(std::uint32_t device, float* to, std::span<const float> values) override {
    inner_->write(device, to, values);
  }
  void read(std::uint32_t device, const float* from, std::span<float> values) override {
    inner_->read(device, from, values);
  }
  std::uint32_t pool_of(std::uint32_t device) const override { return inner_->pool_of(device); }
  double available(std::uint32_t pool) override { return inner_->available(pool); }
  std::string pool_name(std::uint32_t pool) const override { return inner_->pool_name(pool); }
  void make_events(std::span<const std::uint32_t> device) override { inner_->make_events(device); }
  void copy(StreamId stream, const CopyCall& call) override { inner_->copy(stream, call); }
  void record(StreamId stream, std::uint32_t event) override { inner_->record(stream, event); }
  void wait(StreamId stream, std::uint32_t event) override { inner_->wait(stream, event); }
  bool finished(std::uint32_t event) override { return inner_->finished(event); }
  void synchronize() override { inner_->synchronize(); }
  void cancel() override { inner_->cancel(); }
  void start_clock() override { inner_->start_clock(); }
  double now() override { return inner_->now(); }
  double event_seconds(std::uint32_t event) override { return inner_->event_seconds(event); }
  void begin_capture() override { inner_->begin_capture(); }
  void end_capture() override { inner_->end_capture(); }
  void replay(std::uint32_t event) override { inner_->replay(event); }
  std::string description() const override { return inner_->description(); }

 private:
  std::unique_ptr<DeviceDriver> inner_;
  std::int64_t left_;
  std::function<void()> fail_;
};

}  // namespace berth::testing

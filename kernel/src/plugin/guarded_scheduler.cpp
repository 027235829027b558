// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "guarded_scheduler.hpp"

namespace berth::internal {
namespace {

class GuardedScheduler final : public ClusterScheduler {
 public:
  explicit GuardedScheduler(std::unique_ptr<PluginObject> object) : object_(std::move(object)) {}

  RoundSchedule schedule(const RoundContext& context) override {
    return guarded(object_->who(), "schedule", [&] { return scheduler().schedule(context); });
  }

  std::string explain(JobId job) const override {
    return guarded(object_->who(), "explain", [&] { return scheduler().explain(job); });
  }

  std::vector<SchedulerFigure> figures() const override {
    return guarded(object_->who(), "figures", [&] { return scheduler().figures(); });
  }

  std::optional<double> lower_bound_seconds(const Cluster& cluster,
                                            std::span<const JobSpec> jobs,
                                            const GangModel& gangs) const override {
    return guarded(object_->who(), "lower_bound_seconds", [&] {
      return scheduler().lower_bound_seconds(cluster, jobs, gangs);
    });
  }

 private:
  [[nodiscard]] ClusterScheduler& scheduler() const { return object_->as<ClusterScheduler>(); }

  std::unique_ptr<PluginObject> object_;
};

}  // namespace

std::unique_ptr<ClusterScheduler> guard_scheduler(std::unique_ptr<PluginObject> object) {
  return std::make_unique<GuardedScheduler>(std::move(object));
}

}  // namespace berth::internal

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// What is refused, and with which words.

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "small_clusters.hpp"

namespace berth {
namespace {

template <class Call>
std::string message(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ClusterLine, SaysWhichPartIsWrong) {
  EXPECT_EQ(message([] { (void)datasets::make_cluster("v100:20/4,oops"); }),
            "cluster: 'oops'; expected type:accelerators/per-machine, e.g. v100:20/4, or a file");
  EXPECT_EQ(message([] { (void)datasets::make_cluster("v100:10/4"); }),
            "cluster: 'v100:10/4': 10 accelerators do not fill machines of 4; expected a multiple");
  EXPECT_EQ(message([] { (void)datasets::make_cluster("v100:0"); }),
            "cluster: no accelerators; expected at least one machine with at least one");
  EXPECT_EQ(
      message([] { (void)datasets::make_cluster("v100:-4"); }),
      "cluster: 'v100:-4'; expected type:accelerators/per-machine, e.g. v100:20/4, or a file");
}

TEST(ClusterFile, SaysWhatIsWrong) {
  const std::string file = testing::TempDir() + "wrong_cluster.json";
  const auto refusal = [&file](const std::string& text) {
    std::ofstream(file) << R"({"format": "berth.cluster/1", )" << text << "}";
    return message([&file] { (void)datasets::make_cluster(file); }).substr(file.size());
  };
  EXPECT_EQ(refusal(R"("machines": [{"name": "a", "count": 1000000, "gpus": {"v100": 8}}])"),
            ":/machines/0: 8000000 accelerators so far; expected at most 1000000 in all");
  EXPECT_EQ(refusal(R"("machines": [{"name": "a", "gpus": {"v100": 8, "v100": 4}}])"),
            ": key \"v100\" twice in one object; expected it once");
  EXPECT_EQ(refusal(R"("machine": [], "machines": [])"),
            ":/machine: unknown key; expected format and machines");
}

TEST(ClusterLine, CountsAcceleratorsTypeByTypeMachineByMachine) {
  const Cluster cluster = datasets::make_cluster("a:4/2,b:0,c:3/3");

  EXPECT_EQ(cluster.num_types(), 2U);  // a count of 0 leaves the type out
  EXPECT_EQ(cluster.num_gpus(), 7U);
  EXPECT_EQ(cluster.machine_of(GpuId{2}), MachineId{1});
  EXPECT_EQ(cluster.type_of(GpuId{4}), GpuTypeId{1});
  EXPECT_EQ(cluster.largest_machine(), 3U);
}

TEST(Jobs, AreCheckedAgainstTheCluster) {
  const Cluster cluster = datasets::make_cluster("a:2");
  const auto check = [&](const JobSpec& spec) {
    return message([&] { check_jobs(cluster, std::vector{spec}); });
  };

  EXPECT_EQ(check(job(10, 0, 3)), "job 0 (test): needs 3 accelerators at once; the cluster has 2");
  EXPECT_NE(check(job(0)).find("total_steps is 0.000000; expected a finite number > 0"),
            std::string::npos);
  EXPECT_NE(check(job(10, std::nan(""))).find("arrival_seconds is nan"), std::string::npos);
  EXPECT_EQ(check(job(10, 0, 1, 0.0)),
            "job 0 (test): its gang of 1 needs as many accelerators of one type with a throughput "
            "> 0 for it; there is no such type");
  EXPECT_EQ(message([&] { check_jobs(cluster, {}); }), "trace: no jobs; expected at least one");
}

TEST(Jobs, WhoseGangFitsIntoNoTypeAreToldTheLargest) {
  // Nine accelerators, but of one type that runs the job at most three: b has four and no rate.
  const Cluster cluster = datasets::make_cluster("a:2/2,b:4/4,c:3/3");
  JobSpec spec = job(10, 0, 4);
  spec.rates = spec.spread_rates = {1.0, 0.0, 1.0};

  EXPECT_EQ(message([&] { check_jobs(cluster, std::vector{spec}); }),
            "job 0 (test): its gang of 4 needs as many accelerators of one type with a throughput "
            "> 0 for it; the largest such set is 3 of c");

  spec.rates[1] = 1.0;
  EXPECT_NO_THROW(check_jobs(cluster, std::vector{spec}));
}

class Fixed final : public ClusterScheduler {
 public:
  explicit Fixed(RoundSchedule answer) : answer_(std::move(answer)) {}
  RoundSchedule schedule(const RoundContext& /*context*/) override { return answer_; }

 private:
  RoundSchedule answer_;
};

std::string answer_message(const RoundSchedule& answer) {
  std::vector<JobSpec> jobs = {job(10, 0, 2), job(10)};
  jobs[1].rates = jobs[1].spread_rates = {1.0, 0.0};
  jobs[0].rates = jobs[0].spread_rates = {1.0, 1.0};
  return message([&] {
    Fixed scheduler(answer);
    (void)simulate_cluster(datasets::make_cluster("a:2,b:2"), jobs, scheduler, free_moves());
  });
}

TEST(RoundAnswer, IsRefusedWithTheJobAndTheReason) {
  EXPECT_EQ(answer_message({{{JobId{0}, {GpuId{0}}}}}),
            "round schedule: job 0: got 1 accelerators; its gang is 2, all or nothing");
  EXPECT_EQ(answer_message({{{JobId{0}, {GpuId{0}, GpuId{1}}}, {JobId{1}, {GpuId{1}}}}}),
            "round schedule: job 1: shares accelerator 1 with another job");
  EXPECT_EQ(answer_message({{{JobId{1}, {GpuId{2}}}}}),
            "round schedule: job 1: runs where its throughput is 0; expected a type it can use");
  EXPECT_EQ(answer_message({{{JobId{7}, {GpuId{0}}}}}),
            "round schedule: job 7: is assigned but is not an active job; expected one of the jobs "
            "shown");
  EXPECT_EQ(answer_message({{{JobId{1}, {GpuId{9}}}}}),
            "round schedule: job 1: names accelerator 9; there are 4");
  EXPECT_EQ(answer_message({{{JobId{0}, {GpuId{1}, GpuId{0}}}}}),
            "round schedule: job 0: its accelerators are not ascending or repeat; sort them");
}

}  // namespace
}  // namespace berth

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "trace_reader.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/mersenne_stream.hpp"

#include "cluster_file.hpp"

namespace berth::datasets {
namespace {

std::filesystem::path write(const std::string& name, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(file) << text;
  return file;
}

std::string message(const std::string& text) {
  const std::filesystem::path file = write("wrong trace.txt", text);
  try {
    (void)read_trace(file);
  } catch (const InputError& error) {
    return std::string(error.what()).substr(file.string().size());
  }
  return "no error";
}

void expect_job(
    const TraceJob& job, const JobType& type, std::uint32_t gang, double steps, double arrival) {
  EXPECT_EQ(job.type, type);
  EXPECT_EQ(job.gang, gang);
  EXPECT_EQ(job.total_steps, steps);
  EXPECT_EQ(job.arrival_seconds, arrival);
}

TEST(TraceReader, ReadsACsvWithModels) {
  const auto jobs = read_trace(
      write("models é.csv",
            "\xef\xbb\xbfjob_id,model,batch_size,scale_factor,total_steps,priority_weight,"
            "arrival_s\r\n0,LM,20,4,1000,5,12.5\r\n1,A3C,,1,7,1,13"));

  ASSERT_EQ(jobs.size(), 2U);
  expect_job(jobs[0], {"LM", 20}, 4, 1000, 12.5);
  EXPECT_EQ(jobs[0].weight, 5.0);
  expect_job(jobs[1], {"A3C", 0}, 1, 7, 13);
}

TEST(TraceReader, ReadsGavelsTabFormsOfTenAndSevenFields) {
  const auto ten =
      read_trace(write("ten.trace",
                       "ResNet-18 (batch size 64)\tpython main.py\tcifar10\t--num_steps"
                       "\t0\t42226\t2\t1\t-1\t30.25\n"));
  const auto seven =
      read_trace(write("seven.trace", "A3C\tpython main.py\t--max-steps\t1\t8857\t12\t1\n"));

  expect_job(ten.at(0), {"ResNet-18", 64}, 2, 42226, 30.25);
  expect_job(seven.at(0), {"A3C", 0}, 1, 8857, 12);
}

TEST(TraceReader, ReadsShockwavesTwelveFields) {
  const auto jobs = read_trace(
      write("twelve.trace",
            "LM (batch size 10)\tpython main.py\t/w\t--steps\t1\t900\t4\taccordion\t5\t-1\t7200"
            "\t60.5\n"));

  expect_job(jobs.at(0), {"LM", 10}, 4, 900, 60.5);
  EXPECT_EQ(jobs.at(0).weight, 5.0);
}

// 32 GPU-hours over 3 replicas, which run as a measured 4: 8 hours.
TEST(TraceReader, ReadsSiaCsvAsModelsOfTheSameSize) {
  const auto jobs = read_trace(write("sia.csv",
                                     "name,time,application,num_replicas,batch_size\n"
                                     "yolov3-0,12,yolov3,3,16\n"));

  expect_job(jobs.at(0), {"ResNet-50", 64}, 4, 0, 12);
  EXPECT_DOUBLE_EQ(jobs.at(0).duration_seconds, 8 * 3600.0);
}

TEST(TraceReader, ReadsPhillyAndTiresiasCsv) {
  const auto philly = read_trace(write("philly.csv",
                                       "job_id,arrival_s,num_gpus,duration_s,gpu_hours,category\n"
                                       "0,115,3,69,0.0575,L\n"));
  const auto tiresias =
      read_trace(write("tiresias.csv",
                       "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
                       "1,8,20,500,LM (batch size 5),600,10\n"));

  expect_job(philly.at(0), {"Transformer", 64}, 4, 0, 115);  // 3 workers run as a measured 4
  EXPECT_EQ(philly.at(0).duration_seconds, 69);
  expect_job(tiresias.at(0), {"LM", 5}, 8, 500, 20);
}

TEST(TraceReader, ReadsJobsWithTheirOwnRates) {
  const auto trace = read_trace(write("own.json", R"({"format": "berth.jobs/1", "jobs": [
      {"model": "mine", "gang": 2, "duration_seconds": 100, "rates": {"a": 2.5, "b": 1}}]})"));
  const Cluster cluster = make_cluster("b:2/2,a:4/2");

  const std::vector<JobSpec> jobs = price_jobs(trace, cluster, std::nullopt, "a");

  EXPECT_EQ(jobs.at(0).rates, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(jobs.at(0).total_steps, 250);
}

TEST(TraceReader, RefusesAJobWithRatesOverSeveralMachinesOnly) {
  const auto trace = read_trace(write("spread.json", R"({"format": "berth.jobs/1", "jobs": [
      {"gang": 2, "total_steps": 9, "rates": {"a": 0, "b": 1}, "spread_rates": {"a": 1, "b": 1}}]})"));

  EXPECT_EQ(price_jobs(trace, make_cluster("a:4/2,b:2/2"), std::nullopt).size(), 1U);
  EXPECT_THROW((void)price_jobs(trace, make_cluster("a:4/2"), std::nullopt), InputError);
}

TEST(TraceReader, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(message(""), ": empty; expected a job trace");
  EXPECT_EQ(message("a\tb\tc\n"),
            ":1: 3 tab-separated fields; expected 10, 7 in the older form, or 12 in Shockwave's");
  EXPECT_EQ(message("time,application,num_replicas\n0,gpt,1\n"),
            ":2: application 'gpt'; expected cifar10, ncf, bert, deepspeech2, yolov3 or imagenet");
  EXPECT_EQ(message("job_id,model,batch_size,scale_factor,total_steps,priority_weight,arrival_s\n"
                    "0,LM,20,1,nan,1,0\n"),
            ":2: total_steps: 'nan'; expected a finite number >= 0");
  EXPECT_EQ(message("job_id,model,batch_size,scale_factor,total_steps,priority_weight,arrival_s\n"
                    "0,LM,20\n"),
            ":2: 3 fields; the header names 7");
  EXPECT_EQ(message("job_id,arrival_s,num_gpus,duration_s,gpu_hours,category\n0,1,1,1,1,XXL\n"),
            ":2: category 'XXL'; expected S, M, L or XL");
  EXPECT_EQ(message(R"({"format": "berth.jobs/1", "jobs": [{"modell": "x"}]})"),
            ":/jobs/0/modell: unknown key; did you mean 'model'?");
  EXPECT_EQ(message(R"({"format": "berth.jobs/1", "jobs": [{"gang": 1.5}]})"),
            ":/jobs/0/gang: 1.5; expected a whole number > 0");
  const auto job = [](const std::string& text) {
    return message(R"({"format": "berth.jobs/1", "jobs": [)" + text + "]}");
  };
  EXPECT_EQ(job(R"({"total_steps": 1e400})"),
            ": a number beyond 1.8e308; expected a berth.jobs/1 document");
  EXPECT_EQ(job(R"({"total_steps": -5})"), ":/jobs/0/total_steps: -5; expected a number > 0");
  EXPECT_EQ(job(R"({"total_steps": 5, "duration_seconds": 5})"),
            ":/jobs/0: both total_steps and duration_seconds; expected one of them");
  EXPECT_EQ(job(R"({"model": "a"})"),
            ":/jobs/0: neither total_steps nor duration_seconds; expected one of them");
  EXPECT_EQ(job(R"({"gang": 1, "gang": 2})"),
            ": key \"gang\" twice in one object; expected it once");
  EXPECT_EQ(job(std::string(100000, '[') + std::string(100000, ']')),
            ": more than 64 levels of brackets; expected a berth.jobs/1 document");
  EXPECT_EQ(message(R"({"format": "berth.jobs/1", "job": 1, "jobs": []})"),
            ":/job: unknown key; expected format and jobs");
  const auto tabs = [](const std::string& type, const std::string& gang) {
    return message(type + "\tpython\tdata\t-n\t0\t100\t" + gang + "\t1\t-1\t0\n");
  };
  EXPECT_EQ(tabs("LM (batch size 20)", "1.5"),
            ":1: scale factor: '1.5'; expected a whole number from 1 to 1000000");
  EXPECT_EQ(tabs("LM (batch size 20)", "0"),
            ":1: scale factor: '0'; expected a whole number from 1 to 1000000");
  EXPECT_EQ(tabs("LM (batch size 20.5)", "1"), ":1: batch size: '20.5'; expected a whole number");
  const std::string header =
      "job_id,model,batch_size,scale_factor,total_steps,priority_weight,arrival_s\n";
  EXPECT_EQ(message(header + "0,LM,20,1,5,1,0\n7,LM,20,1,5,1,0\n"),
            ":3: job_id: '7'; expected 1, jobs are numbered from 0 in the order of the file");
  EXPECT_EQ(message(header + "first,LM,20,1,5,1,0\n"),
            ":2: job_id: 'first'; expected a finite number >= 0");
  EXPECT_EQ(message("job_id,arrival_s,num_gpus,duration_s,gpu_hours,category\n1,1,1,1,1,S\n"),
            ":2: job_id: '1'; expected 0, jobs are numbered from 0 in the order of the file");
  const std::string range = "; expected 0 or a number from 1e-9 to 1e9 (steps/s)";
  EXPECT_EQ(job(R"({"total_steps": 5, "rates": {"v100": 1e300}})"),
            ":/jobs/0/rates/v100: 1e+300" + range);
  EXPECT_EQ(job(R"({"total_steps": 5, "rates": {"a": 1}, "spread_rates": {"a": 1e-300}})"),
            ":/jobs/0/spread_rates/a: 1e-300" + range);
  EXPECT_EQ(job(R"({"total_steps": 5, "rates": {"a": -1}})"), ":/jobs/0/rates/a: -1" + range);
  EXPECT_EQ(message("{"), ": not valid JSON at byte 3; expected a berth.jobs/1 document");
  EXPECT_THROW((void)read_trace("/no/such/file"), InputError);
}

// Published: the first outputs of Python 3's random.Random(0).random().
TEST(MersenneStream, EqualsPythonsRandom) {
  MersenneStream stream(0);

  EXPECT_EQ(stream.uniform(), 0.8444218515250481);
  EXPECT_EQ(stream.uniform(), 0.7579544029403025);
}

}  // namespace
}  // namespace berth::datasets

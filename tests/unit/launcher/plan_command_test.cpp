// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pipeline_timeline.hpp"
#include "run_program.hpp"

namespace berth::launcher {
namespace {

using berth::testing::ProgramResult;
using berth::testing::run_berth;
using nlohmann::json;

class PlanCommand : public ::testing::Test {
 protected:
  PlanCommand() : folder_(::testing::TempDir() + "berth_plan_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~PlanCommand() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static std::string text_of(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void expect_refused(const std::string& words, const std::string& part, int code = 2) {
    const ProgramResult result = run_berth("plan " + words);
    EXPECT_EQ(result.exit_code, code) << words << ": " << result.standard_error;
    EXPECT_NE(result.standard_error.find(part), std::string::npos) << result.standard_error;
    EXPECT_EQ(result.standard_output, "") << words;
    EXPECT_EQ(std::count(result.standard_error.begin(), result.standard_error.end(), '\n'), 1)
        << "one line";
  }

  static constexpr const char* kSmall =
      "llama3-8b --cluster h100-fattree-16 --global-batch 64 --max-context 1 --max-micro-batch 1 ";

 private:
  std::string folder_;
};

TEST_F(PlanCommand, RefusesBadInputInOneLine) {
  expect_refused("", "0 models");
  expect_refused("llama3-8b", "no --cluster");
  expect_refused("llama3-8 --cluster h100-node-8", "did you mean 'llama3-8b'?");
  expect_refused("llama3-8b --cluster h100-nod-8", "did you mean 'node'?");
  expect_refused("llama3-8b --cluster h100-node-0", "no device count");
  expect_refused("llama3-8b --cluster h100-node-8 --global-batch 0", "--global-batch: '0'");
  expect_refused("llama3-8b --cluster h100-node-8 --objective speed", "objective");
  expect_refused("llama3-8b --cluster tpuv4-node-8 --objective cost",
                 "TPUv4 has no list price; give price_per_hour in a cluster file");
  expect_refused("llama3-8b --cluster h100-node-8 --pin tp",
                 "berth: --pin: 'tp'; expected key=value");
  expect_refused("llama3-8b --cluster h100-node-8 --planner 'nest(pin=tp)'", "plugin 'nest'");
  expect_refused("llama3-8b --cluster h100-node-8 --gobal-batch 8", "did you mean");
  expect_refused("llama3-8b --cluster h100-node-8 --evaluate /nowhere", "/nowhere");
  expect_refused("llama3-8b --artifact x.json", "beside --artifact");
  expect_refused("--layer-schedule /nowhere", "/nowhere");
  expect_refused("--layer-schedule '" + write("bad.lp", "nonsense") + "'", "CPLEX LP format");
  expect_refused("llama3-8b --cluster h100-node-8 --profile '" + write("p.csv", "a,b\n") + "'",
                 "p.csv:1: column 'a'");
  expect_refused("llama3-8b --cluster h100-node-8 --reserve 5", "--reserve: '5' has no unit");
  expect_refused(
      "llama3-8b --cluster h100-node-8 --profile '" + write("h.csv", "kernel,m,us\n") + "'",
      "h.csv: a header alone");
  expect_refused("llama3-8b --cluster '" +
                     write("twice.json", R"({"nodes": [{"devices": 1, "devices": 2}]})") + "'",
                 "twice.json: /nodes/0: key 'devices' twice in one object");
  expect_refused("'" + write("model.json", R"({"vocab_size": 1, "vocab_size": 2})") +
                     "' --cluster h100-node-8",
                 "model.json: key 'vocab_size' twice in one object");
  const std::string graph = "'" + write("graph.json", R"({"maxFPGAs": 1})") + "' ";
  expect_refused(graph + "--memory 5", "--memory: '5' has no unit");
  expect_refused(graph + "--link-bandwidth 0GB/s", "--link-bandwidth: '0GB/s'");
  std::filesystem::create_directories(path("folder.json"));
  expect_refused("llama3-8b --cluster '" + path("folder.json") + "'", "is a folder");
  expect_refused("'" + path("folder.json") + "' --cluster h100-node-8", "is a folder");
}

TEST_F(PlanCommand, RefusesAnOptionOfAnotherMode) {
  const std::string model = "llama3-8b --cluster h100-node-8 ";
  expect_refused(model + "--gap 0.1", "--gap without --layer-schedule");
  expect_refused(model + "--units consistent", "--units without --artifact");
  expect_refused("--layer-schedule x.jsonl --pin tp=8", "--pin beside --layer-schedule");
  expect_refused("--artifact x.json --out y.json", "--out beside --artifact");
}

TEST_F(PlanCommand, RefusesSearchOptionsBesideAPlanThatIsGiven) {
  const std::string given = "llama3-8b --cluster h100-node-8 --evaluate p.json ";
  for (const char* option :
       {"--planner uniform", "--seed 2", "--objective cost", "--top-k 3", "--pin tp=2", "--why"}) {
    const std::string words = option;
    expect_refused(given + words, words.substr(0, words.find(' ')) + " beside --evaluate");
  }
  expect_refused("--layer-schedule x.jsonl --top-k 3", "--top-k beside --layer-schedule");
}

TEST_F(PlanCommand, TriesItsOutputsBeforeTheSearch) {
  // Nothing fits here, which a search would say with exit code 4.
  const std::string vain = "llama3-405b --cluster v100-node-2 ";
  write("file", "");
  for (const char* option : {"--out", "--report", "--trace", "--galvatron"}) {
    const std::string words = vain + option;
    expect_refused(words + " '" + path("") + "x/y/z'", "cannot create: No such file");
    expect_refused(words + " '" + path(".") + "'", "is a folder");
    expect_refused(words + " '" + path("file/z") + "'", "cannot create: Not a directory");
  }
  expect_refused(vain + "--out '" + path("a") + "' --trace '" + path("a") + "'", "both ");
  expect_refused(vain + "--stage-graphs '" + path("file") + "'", "is no folder");
  expect_refused(vain + "--stage-graphs '" + path("file/x/y") + "'", "file is no folder");
  expect_refused(vain + "--stage-graphs '" + path("x/y") + "'", "infeasible", 4);
  EXPECT_FALSE(std::filesystem::exists(path("x"))) << "nothing is left behind";
  expect_refused("--layer-schedule /nowhere --layer-profile '" + path(".") + "'", "is a folder");
  const std::string run = "'workload:chain-mm:2:physical:i32j32k32l32m32' --topology uniform:2 ";
  for (const std::string& words : {"calibrate " + run + "--out '" + path(".") + "'",
                                   "calibrate " + run + "--graph-out '" + path(".") + "'",
                                   "execute " + run + "--policies heft --trace '" + path(".") + "'",
                                   "bench nest --html '" + path(".") + "'"}) {
    const ProgramResult result = run_berth(words);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_NE(result.standard_error.find("is a folder; expected a file to write"),
              std::string::npos)
        << result.standard_error;
  }
}

TEST_F(PlanCommand, SaysWhichDegreeCannotBe) {
  const std::string model = "llama3-8b --cluster h100-node-4 ";
  // 32 layers, embedding and head; two stages at least.
  expect_refused(
      model + "--pin vpp=99", "vpp=99: the model has 34 layers, embedding and head counted", 4);
  expect_refused(model + "--pin vpp=99", "take 198; expected vpp of at most 17", 4);
  expect_refused(model + "--pin vpp=9,pp=4", "4 stages take 36; expected vpp of at most 8", 4);
  expect_refused(model + "--pin vpp=2,pp=1", "2 stages or more", 4);
}

TEST_F(PlanCommand, AFileWithoutTheEndingIsNoUnknownName) {
  std::filesystem::create_directories(path("folder"));
  for (const auto& [file, part] : {std::pair{path("folder"), "is a folder"},
                                   std::pair{write("text", "nonsense"), "not JSON"},
                                   std::pair{write("right", "{}"), "does not end in .json"}}) {
    expect_refused("'" + file + "' --cluster h100-node-8", file + ": ");
    expect_refused("'" + file + "' --cluster h100-node-8", part);
    expect_refused("llama3-8b --cluster '" + file + "'", part);
  }
}

TEST_F(PlanCommand, RefusesAPlanOfWhichOneNumberWasChangedAlone) {
  const ProgramResult planned = run_berth(std::string("plan ") + kSmall + "--json");
  ASSERT_EQ(planned.exit_code, 0) << planned.standard_error;
  const json plan = json::parse(planned.standard_output);
  const auto refused = [&](const json& changed, const char* part) {
    expect_refused(kSmall + ("--evaluate '" + write("p.json", changed.dump()) + "'"), part);
  };
  json changed = plan;
  changed["global_batch"] = 128;
  refused(changed, "/global_batch: 128; expected 64");
  changed = plan;
  changed["stages"][0]["replicas"] = 999;
  refused(changed, "/stages/0/replicas: 999");
  changed = plan;
  changed["tensor"] = 16;
  refused(changed, "/tensor: 16; expected");
  changed = plan;
  changed["data"] = 99;
  refused(changed, "/data: 99; expected");
  changed = plan;
  changed["sequence_parallel"] = !plan["sequence_parallel"].get<bool>();
  refused(changed, "/sequence_parallel: ");
  changed = plan;
  changed["cluster"] = "another";
  refused(changed, "/cluster: \"another\"; expected h100-fattree-16");
  changed = plan;
  changed["stages"][0]["first_layer_name"] = "head";
  refused(changed, "/stages/0/first_layer_name: \"head\"");
  std::string twice = plan.dump();
  twice.insert(1, "\"data\": 1,");
  expect_refused(kSmall + ("--evaluate '" + write("p.json", twice) + "'"),
                 "p.json: key 'data' twice in one object");
  changed = plan;
  changed["colour"] = 1;
  refused(changed, "p.json: unknown key 'colour'");
}

TEST_F(PlanCommand, SaysWhyNothingFitsAndExitsWithFour) {
  expect_refused("llama3-405b --cluster v100-node-2", "infeasible: ", 4);
}

TEST_F(PlanCommand, WritesEveryOutputAndPricesEachAlike) {
  const ProgramResult planned =
      run_berth(std::string("plan ") + kSmall + "--pin tp=2,pp=2 --json --out '" +
                path("plan.json") + "' --report '" + path("plan.html") + "' --trace '" +
                path("trace.json") + "' --galvatron '" + path("galvatron.json") + "'");
  ASSERT_EQ(planned.exit_code, 0) << planned.standard_error;
  const json plan = json::parse(planned.standard_output);
  const ProgramResult shown = run_berth(std::string("plan ") + kSmall + "--evaluate '" +
                                        path("plan.json") + "' --megatron --torchtitan");
  ASSERT_EQ(shown.exit_code, 0) << shown.standard_error;
  const std::size_t megatron = shown.standard_output.find("# berth-plan");
  const std::size_t torchtitan = shown.standard_output.find("# berth-plan", megatron + 1);
  ASSERT_NE(torchtitan, std::string::npos);
  write("megatron.sh", shown.standard_output.substr(megatron, torchtitan - megatron));
  write("torchtitan.toml", shown.standard_output.substr(torchtitan));

  for (const char* name : {"plan.json", "galvatron.json", "megatron.sh", "torchtitan.toml"}) {
    const ProgramResult priced =
        run_berth(std::string("plan ") + kSmall + "--json --evaluate '" + path(name) + "'");
    ASSERT_EQ(priced.exit_code, 0) << name << ": " << priced.standard_error;
    EXPECT_EQ(json::parse(priced.standard_output), plan) << name;
    expect_refused(
        "llama3-8b --cluster h100-fattree-16 --global-batch 32 --evaluate '" + path(name) + "'",
        name);
  }
  const std::string page = text_of(path("plan.html"));
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_EQ(page.find("nan"), std::string::npos);
  EXPECT_EQ(page.find("http://", page.find("</style>")), page.find("http://www.w3.org/2000/svg"))
      << "nothing is fetched";
  const json trace = json::parse(text_of(path("trace.json")));
  double last = 0.0;
  for (const json& event : trace.at("traceEvents")) {
    last = std::max(last, event.value("ts", 0.0) + event.value("dur", 0.0));
  }
  EXPECT_GT(last, 1e6 * 0.9 * plan.at("simulated_seconds_per_batch").get<double>());
}

TEST_F(PlanCommand, AProfileChangesThePlanAndUnknownShapesAreNamed) {
  const std::string profile = write("p.csv",
                                    "layer,tensor,micro_batch,forward_us,backward_us\n"
                                    "layer,1,1,1,2\nlayer,5,1,1,1\n");
  const ProgramResult plain = run_berth(std::string("plan ") + kSmall + "--json");
  const ProgramResult measured =
      run_berth(std::string("plan ") + kSmall + "--json --profile '" + profile + "'");

  ASSERT_EQ(measured.exit_code, 0) << measured.standard_error;
  EXPECT_EQ(json::parse(measured.standard_output).at("tensor"), 1);
  EXPECT_LT(json::parse(measured.standard_output).at("seconds_per_batch"),
            json::parse(plain.standard_output).at("seconds_per_batch"));
  EXPECT_NE(measured.standard_error.find("1 of 2 profile rows"), std::string::npos)
      << measured.standard_error;
}

TEST_F(PlanCommand, StageGraphsArePlacedInThePlannersTime) {
  const ProgramResult planned = run_berth(
      "plan llama3-8b --cluster h100-node-4 --global-batch 16 --max-micro-batch 1 "
      "--pin tp=2,pp=2,vpp=1,dp=1,recompute=none --json --stage-graphs '" +
      path("stages") + "'");
  ASSERT_EQ(planned.exit_code, 0) << planned.standard_error;
  const json stages = json::parse(planned.standard_output).at("stages");
  ASSERT_EQ(stages.size(), 2U);
  for (std::size_t q = 0; q < 2; ++q) {
    const std::string stem = path("stages/stage" + std::to_string(q + 1));
    const ProgramResult placed = run_berth("place '" + stem + ".graph.json' --topology '" + stem +
                                           ".topology.json' --policy heft --json");
    ASSERT_EQ(placed.exit_code, 0) << placed.standard_error;
    const json& seconds = stages[q].at("seconds");
    const double pass = seconds.at("forward").get<double>() + seconds.at("backward").get<double>();
    // The planner adds its collectives up; the placed graph may hide some of them.
    const double makespan = json::parse(placed.standard_output).at("makespan_seconds");
    EXPECT_GT(makespan, 0.8 * pass);
    EXPECT_LT(makespan, 1.1 * pass);
  }
}

TEST_F(PlanCommand, LayerSchedulesCarryTheirCertificate) {
  const std::string graphs = write(
      "g.jsonl",
      R"({"model": "m", "t": 1, "part": "layer", "direction": "fwd", "tc_cores": 2, "vc_cores": 1, )"
      R"("ops": [{"id": 0, "name": "a", "core": "TC", "one_core_us": 10, "all_cores_us": 10}, )"
      R"({"id": 1, "name": "b", "core": "VC", "one_core_us": 6, "all_cores_us": 3}], "edges": []})"
      "\n");
  const ProgramResult result =
      run_berth("plan --layer-schedule '" + graphs + "' --lp '" + path("lp") + "' --json");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const json line = json::parse(result.standard_output);
  EXPECT_NEAR(line.at("makespan_us").get<double>(), 10.0, 1e-6) << "b runs beside a";
  EXPECT_NEAR(line.at("list_us").get<double>(), 13.0, 1e-6);
  EXPECT_EQ(line.at("certificate"), "optimal");
  const ProgramResult solved =
      run_berth("plan --layer-schedule '" + path("lp/m_t1_layer_fwd.lp") + "' --json");
  ASSERT_EQ(solved.exit_code, 0) << solved.standard_error;
  EXPECT_NEAR(json::parse(solved.standard_output).at("objective").get<double>(), 10.0, 1e-3);
  EXPECT_EQ(run_berth("plan --layer-schedule '" +
                      write("no.lp",
                            "Minimize\n obj: x\nSubject To\n c: x >= 2\nBounds\n x <= 1\n"
                            "End\n") +
                      "'")
                .exit_code,
            4)
      << "no solution";
}

// Three equal stages, forward 1, backward 2, no messages.
ParallelPlan three_blocks(std::uint32_t chunks) {
  ParallelPlan plan;
  plan.chunks = chunks;
  plan.micro_batches = 6;
  for (std::uint32_t q = 0; q < 3 * chunks; ++q) {
    PlanStage stage;
    stage.first_layer = q;
    stage.num_layers = 1;
    stage.blocks = {{q % 3}};
    stage.time.forward = 1.0 / chunks;
    stage.time.backward = 2.0 / chunks;
    plan.stages.push_back(stage);
  }
  return plan;
}

TEST(PipelineTimeline, EndsWhereTheFormulaSays) {
  // (b + p - 1) (F + B), and with v chunks the bubble (p - 1) (F + B) / v (Narayanan et al. 2021).
  EXPECT_NEAR(pipeline_timeline(three_blocks(1)).end_seconds, (6 + 2) * 3.0, 1e-9);
  EXPECT_NEAR(pipeline_timeline(three_blocks(2)).end_seconds, 6 * 3.0 + 2 * 3.0 / 2, 1e-9);
  EXPECT_NEAR(pipeline_timeline(three_blocks(3)).end_seconds, 6 * 3.0 + 2 * 3.0 / 3, 1e-9);
  EXPECT_EQ(pipeline_timeline(three_blocks(2)).passes.size(), 2U * 6 * 6);
}

TEST(PipelineTimeline, AgreesWithTheSimulationOfUnequalStages) {
  ParallelPlan plan = three_blocks(1);
  const double links[] = {0.25, 0.5};
  std::vector<PipelineStage> stages;
  for (std::size_t q = 0; q < 3; ++q) {
    StageTime& time = plan.stages[q].time;
    time.forward = 1.0 + 0.3 * static_cast<double>(q);
    time.recompute = q == 1 ? 0.7 : 0.0;
    time.transfer = (q > 0 ? links[q - 1] : 0.0) + (q < 2 ? links[q] : 0.0);
    stages.push_back({time.forward, time.backward + time.recompute, q < 2 ? links[q] : 0.0});
  }
  EXPECT_NEAR(pipeline_timeline(plan).end_seconds, simulate_1f1b(stages, 6), 1e-9);
}

TEST(PipelineTimeline, StagesOfDifferentReplicasShareTheMicroBatches) {
  ParallelPlan plan = three_blocks(1);
  plan.stages.resize(2);
  plan.stages[0].blocks = {{0}, {1}};
  plan.stages[1].blocks = {{2}};
  plan.stages[1].time = {0.5, 1.0};
  plan.data = 2;
  plan.micro_batches = 6;
  const PipelineTimeline timeline = pipeline_timeline(plan);

  // Six micro-batches in all: three on each replica of the first stage, six on the second.
  EXPECT_EQ(timeline.rows.size(), 3U);
  EXPECT_EQ(timeline.passes.size(), 2U * (3 + 3 + 6));
  const std::vector<PipelineStage> stages = {{1.0, 2.0, 0.0, 2}, {0.5, 1.0, 0.0, 1}};
  EXPECT_NEAR(timeline.end_seconds, play_pipeline(stages, 6, 1).seconds, 1e-9);
  // Stage 2 is busy from the first forward pass to the last backward pass of stage 1.
  EXPECT_GE(timeline.end_seconds, 1 + 6 * 1.5 + 2);
}

}  // namespace
}  // namespace berth::launcher

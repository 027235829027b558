// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_outputs.hpp"

#include <cstdio>
#include <filesystem>

#include <boost/program_options/value_semantic.hpp>

#include "berth/error.hpp"
#include "berth/units.hpp"

#include "datasets/atomic_file.hpp"
#include "datasets/berth_graph_json.hpp"
#include "datasets/models/framework_plans.hpp"
#include "datasets/models/megatron_arguments.hpp"
#include "datasets/models/plan_file.hpp"
#include "datasets/models/stage_graph.hpp"
#include "datasets/topology_json.hpp"
#include "output_files.hpp"
#include "pipeline_timeline.hpp"
#include "plan_page.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

po::typed_value<std::string>* file_option(const char* shown) {
  return po::value<std::string>()->value_name(shown);
}

// A campaign that learns to place all stages.
std::string campaign_of(std::size_t stages) {
  std::string text =
      "# One policy for the stages of a plan: berth train campaign.toml --out run\n"
      "policy = \"doppler\"\nseed = 1\nrollouts = 16\ngroup_size = 4\n\nproblems = [\n";
  for (std::size_t q = 1; q <= stages; ++q) {
    const std::string stem = "stage" + std::to_string(q);
    text +=
        "  { graph = \"" + stem + ".graph.json\", topology = \"" + stem + ".topology.json\" },\n";
  }
  return text +
         "]\n\n[[stages]]\nkind = \"imitation\"\nupdates = 20\n\n"
         "[[stages]]\nkind = \"simulation\"\nupdates = 200\n";
}

// One graph and one topology a stage, ready for berth place, and a campaign for berth train.
void write_stage_graphs(const CommandLine& line, const PlanResult& result) {
  const std::filesystem::path folder = line.text("stage-graphs");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(folder.string() + ": " + error.message() + "; expected a folder");
  }
  Table table({"stage", "graph", "topology", "ops", "planned for one micro-batch"});
  for (std::size_t q = 0; q < result.plan.stages.size(); ++q) {
    const std::string stem = "stage" + std::to_string(q + 1);
    const Graph graph = datasets::stage_graph(
        result.model, result.cluster, result.setup, result.problem, result.plan, q);
    datasets::write_atomically(folder / (stem + ".graph.json"), datasets::write_berth_graph(graph));
    datasets::write_atomically(
        folder / (stem + ".topology.json"),
        datasets::write_topology_json(datasets::group_topology(result.cluster, result.plan, q)));
    const StageTime& time = result.score.times[q];
    table.add_row({std::to_string(q + 1),
                   (folder / (stem + ".graph.json")).string(),
                   (folder / (stem + ".topology.json")).string(),
                   std::to_string(graph.num_ops()),
                   format(Seconds{time.forward + time.backward + time.recompute})});
  }
  datasets::write_atomically(folder / "campaign.toml", campaign_of(result.plan.stages.size()));
  if (!line.has("json")) {
    std::printf("\nstage graphs:\n%scampaign: %s\n",
                table.text().c_str(),
                (folder / "campaign.toml").string().c_str());
  }
}

}  // namespace

void add_plan_outputs(CommandLine& line) {
  line.add()("out", file_option("FILE"), "write the plan as JSON")(
      "report", file_option("FILE"), "write a page (HTML) with the schedule, times and memory")(
      "trace", file_option("FILE"), "write the pipeline schedule as a Chrome trace (Perfetto)")(
      "stage-graphs",
      file_option("DIR"),
      "write each stage's operator graph and topology there, for berth place, and campaign.toml "
      "for berth train")("megatron", "print Megatron-LM arguments of the plan")(
      "torchtitan", "print torchtitan's configuration fields of the plan")(
      "galvatron", file_option("FILE"), "write the plan as a Galvatron strategy (JSON)");
}

void check_plan_outputs(const CommandLine& line) {
  check_output_files(line, {"out", "report", "trace", "galvatron"});
  check_output_folders(line, {"stage-graphs"});
}

void write_plan_outputs(const CommandLine& line, const PlanResult& result) {
  const ParallelPlan plan = datasets::with_score(result.plan, result.score);
  const bool prints = !line.has("json");
  if (line.has("megatron") && prints) {
    std::printf("\n%s\n", datasets::megatron_arguments(result.problem, plan).c_str());
  }
  if (line.has("torchtitan") && prints) {
    const std::uint32_t sequence =
        result.setup.sequence > 0 ? result.setup.sequence : result.model.transformer.sequence;
    std::printf("\n%s", datasets::torchtitan_fields(result.problem, plan, sequence).c_str());
  }
  if (line.has("galvatron")) {
    datasets::write_atomically(line.text("galvatron"),
                               datasets::galvatron_json(result.problem, plan));
  }
  if (line.has("out")) {
    datasets::write_plan_file(line.text("out"), result.problem, result.plan, result.score);
  }
  if (line.has("report")) {
    datasets::write_atomically(line.text("report"), plan_page(result.problem, plan, result.score));
  }
  if (line.has("trace")) {
    datasets::write_atomically(line.text("trace"), timeline_trace(plan, pipeline_timeline(plan)));
  }
  if (line.has("stage-graphs")) {
    write_stage_graphs(
        line, {result.model, result.cluster, result.setup, result.problem, plan, result.score});
  }
}

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Writes a few small valid inputs for each fuzz target: write_seeds FOLDER -> FOLDER/<target>/*.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "berth/problem.hpp"

#include "datasets/graph_file.hpp"
#include "datasets/placement_file.hpp"
#include "datasets/topology_json.hpp"
#include "datasets/topology_presets.hpp"
#include "datasets/workloads/layered_random.hpp"
#include "datasets/workloads/workload.hpp"

namespace {

namespace fs = std::filesystem;
using namespace berth;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

void write_graphs(const fs::path& folder) {
  datasets::LayeredSpec layered;
  layered.ops = 6;
  fs::create_directories(folder / "berth");
  fs::create_directories(folder / "doppler");
  datasets::write_graph(datasets::make_layered_random(layered), folder / "berth/random", "berth");
  datasets::WorkloadSpec workload;
  workload.name = "chain-mm";
  workload.devices = 1;
  const Graph chain = datasets::make_workload(workload);
  datasets::write_graph(chain, folder / "berth/chain", "berth");
  datasets::write_graph(chain, folder / "doppler/chain", "doppler");
  write(folder / "berth/table",
        R"({"format":"berth.graph","version":1,"costs":"time","seconds_per_unit":1,"ops":[)"
        R"({"name":"a","device_time_units":[1,null],"eligible_devices":[0]},)"
        R"({"id":1,"device_time_units":[1,2]}],"edges":[{"from":0,"to":1,"time_units":2}]})");
  write(folder / "doppler/plain", "3\n0, \n0, \n1, \n5,20\n6,24\n");
}

void write_texts(const fs::path& folder) {
  write(folder / "stg/two", "2\n0 0 0\n1 9 1 0\n2 4 1 0\n3 0 2 1 2\n# end\n");
  write(folder / "dot/plain", "digraph \"g\" { 1 [Weight=2]; 0 [Weight=1]; 0 -> 1 [Weight=3]; }");
  write(folder / "dot/rich",
        "strict digraph { node [size=1]; edge [cost=2] /* c */ subgraph s { a; \"b\\\"\" } "
        "a:n -> b -> c [kind=x, label=y]; x=1 }");
  write(folder / "hetero/two",
        "#critical\n0\n#tasks\n0: 1, 2\n1: 2, 1\n#edges\n0: 0, 1, 3\n#end\n");
  write(folder / "fajsp/two", "2 1 2\n0 1 0\n2 0 5 1 6\n1 1 7\n");
  write(folder / "jobshop/two", "# c\n2 2\n0 1 1 2\n1 3 0 4\n");
  write(folder / "msr-fiddle/two",
        R"({"maxSizePerFPGA":1,"maxFPGAs":1,"maxCPUs":1,"nodes":[{"id":1,"supportedOnFpga":1,)"
        R"("cpuLatency":2,"fpgaLatency":1,"isBackwardNode":0,"size":3},{"id":2,)"
        R"("supportedOnFpga":false,"cpuLatency":2,"fpgaLatency":1}],)"
        R"("edges":[{"sourceId":1,"destId":2,"cost":0.5}]})");
  write(folder / "wfformat/two",
        R"({"name":"w","schemaVersion":"1.5","workflow":{"specification":{"tasks":[{"id":"a",)"
        R"("children":["b"],"outputFiles":["x"]},{"id":"b","name":"n","inputFiles":["x"]}],)"
        R"("files":[{"id":"x","sizeInBytes":5}]},"execution":{"tasks":[{"id":"a",)"
        R"("runtimeInSeconds":1},{"id":"b","runtimeInSeconds":2}]}}})");
}

void write_others(const fs::path& folder) {
  for (const datasets::Preset& preset : datasets::presets()) {
    const std::size_t devices = preset.fixed_devices > 0 ? preset.fixed_devices : 2;
    write(folder / "topology" / preset.name, datasets::write_topology_json(preset.make(devices)));
  }
  write(folder / "topology/pairs",
        R"({"format":"berth.topology","version":1,"devices":[{"accelerator":"cpu-core"},)"
        R"({"peak":"1TFLOPS"}],"all_pairs":{"bandwidth":"1GB/s","latency":"7us"}})");
  write(folder / "placement/lines", "0,1\n1,1\n");
  GraphBuilder builder("two");
  builder.add_op({});
  builder.add_op({});
  const auto problem = make_problem("two", builder.freeze(), Topology::uniform(2), {});
  datasets::write_placement({{DeviceId{0}, DeviceId{1}}, {1.0, 2.0}},
                            *problem,
                            {"seed", 1.0, 0},
                            folder / "placement/json");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  write_graphs(argv[1]);
  write_texts(argv[1]);
  write_others(argv[1]);
  return 0;
}

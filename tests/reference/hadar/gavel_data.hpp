// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/cluster_simulator.hpp"

#include "cluster_file.hpp"
#include "reference_data.hpp"
#include "trace_reader.hpp"

namespace berth {

inline std::filesystem::path hadar_data(const std::string& file) {
  return reference_data() / "hadar" / file;
}

/// A reference trace on a cluster, priced with the `simulation` table.
struct GavelProblem {
  GavelProblem(const std::string& trace, std::string_view cluster_line)
      : cluster(datasets::make_cluster(cluster_line)),
        jobs(datasets::price_jobs(
            datasets::read_trace(hadar_data(trace)),
            cluster,
            datasets::ThroughputTable(hadar_data("throughputs.csv"), "simulation"))) {}

  Cluster cluster;
  std::vector<JobSpec> jobs;
};

}  // namespace berth

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "share_program.hpp"

#include "berth/error.hpp"

namespace berth::schedulers {

ShareProgram::ShareProgram(const Cluster& cluster, std::span<const ShareRow> rows)
    : num_types_(cluster.num_types()),
      rows_(rows.begin(), rows.end()),
      variables_(rows.size() * num_types_, 0) {
  std::vector<int> capacity;
  for (std::size_t t = 0; t < num_types_; ++t) {
    capacity.push_back(program_.add_row_at_most(cluster.capacity(to_id<GpuTypeId>(t))));
  }
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    const int time = program_.add_row_at_most(rows_[m].members * rows_[m].copies);
    for (std::size_t t = 0; t < num_types_; ++t) {
      if (!(rows_[m].rates[t] > 0.0)) {
        continue;
      }
      const int variable = program_.add_variable(0.0);
      variables_[m * num_types_ + t] = variable;
      program_.set(time, variable, 1.0);
      program_.set(capacity[t], variable, rows_[m].gang);
    }
  }
}

void ShareProgram::add_throughput(int program_row, std::size_t row, double coefficient) {
  for (std::size_t t = 0; t < num_types_; ++t) {
    if (share(row, t) != 0) {
      program_.set(program_row, share(row, t), coefficient * rows_[row].rates[t]);
    }
  }
}

double ShareProgram::share_value(std::size_t row, std::size_t type) const {
  return share(row, type) == 0 ? 0.0 : program_.value(share(row, type)) / rows_[row].members;
}

BalancedShares::BalancedShares(const Cluster& cluster, std::span<const ShareRow> rows)
    : rows_(rows.begin(), rows.end()), shares_(cluster, rows) {
  z_ = shares_.program().add_variable(1.0);
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    demand_rows_.push_back(shares_.program().add_row_at_least(0.0));
    // Scaled by the best rate, so that coefficients are near 1 for every model.
    double best = 0.0;
    for (const double rate : rows_[m].rates) {
      best = rate > best ? rate : best;
    }
    shares_.add_throughput(demand_rows_[m], m, 1.0 / best);
  }
}

double BalancedShares::solve(std::span<const double> demand) {
  double largest = 0.0;
  std::vector<double> scaled;
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    double best = 0.0;
    for (const double rate : rows_[m].rates) {
      best = rate > best ? rate : best;
    }
    scaled.push_back(demand[m] * rows_[m].members / best);
    largest = scaled[m] > largest ? scaled[m] : largest;
  }
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    shares_.program().set(demand_rows_[m], z_, -scaled[m] / largest);
  }
  const SolveStatus status = shares_.program().solve();
  if (status != SolveStatus::kOptimal) {
    throw SolverError(
        "shares of time: the linear program has no optimum; "
        "expected every job to "
        "have a type with a throughput > 0");
  }
  return shares_.program().objective() / largest;
}

}  // namespace berth::schedulers

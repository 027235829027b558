// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "share_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "berth/error.hpp"

namespace berth::schedulers {

namespace {

double best_rate_of(const ShareRow& row) {
  return *std::max_element(row.rates.begin(), row.rates.end());
}

}  // namespace

ShareProgram::ShareProgram(const Cluster& cluster, std::span<const ShareRow> rows)
    : num_types_(cluster.num_types()),
      rows_(rows.begin(), rows.end()),
      variables_(rows.size() * num_types_, 0) {
  for (std::size_t t = 0; t < num_types_; ++t) {
    capacity_rows_.push_back(program_.add_row_at_most(cluster.capacity(to_id<GpuTypeId>(t))));
  }
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    const int time = program_.add_row_at_most(rows_[m].members * rows_[m].copies);
    time_rows_.push_back(time);
    for (std::size_t t = 0; t < num_types_; ++t) {
      if (!(rows_[m].rates[t] > 0.0)) {
        continue;
      }
      const int variable = program_.add_variable(0.0);
      variables_[m * num_types_ + t] = variable;
      program_.set(time, variable, 1.0);
      program_.set(capacity_rows_[t], variable, rows_[m].gang);
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
  for (std::size_t t = 0; t < cluster.num_types(); ++t) {
    capacity_.push_back(cluster.capacity(to_id<GpuTypeId>(t)));
  }
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    demand_rows_.push_back(shares_.program().add_row_at_least(0.0));
    // Scaled by the best rate, so that coefficients are near 1 for every model.
    shares_.add_throughput(demand_rows_[m], m, 1.0 / best_rate_of(rows_[m]));
  }
}

std::vector<double> BalancedShares::loads(std::span<const double> demand,
                                          std::span<const double> price,
                                          std::vector<std::size_t>& choice) const {
  std::vector<double> load(price.size(), 0.0);
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < price.size(); ++t) {
      const double cost = rows_[m].rates[t] > 0.0 ? price[t] / rows_[m].rates[t] : least;
      if (cost < least) {
        least = cost;
        choice[m] = t;
      }
    }
    load[choice[m]] += rows_[m].members * rows_[m].gang * demand[m] / rows_[m].rates[choice[m]];
  }
  return load;
}

// Multiplicative updates: a type loaded above the mean gets dearer. The basis has a share of every
// row, its time to spare, z, and what is left of all types but the fullest, which determines z.
void BalancedShares::start_near(std::span<const double> demand) {
  constexpr int kUpdates = 100;
  constexpr double kFading = 0.96;
  const std::size_t types = capacity_.size();
  std::vector<double> price(types, 1.0);
  std::vector<std::size_t> choice(rows_.size(), 0);
  std::vector<double> fullness(types);
  double step = 0.5;
  for (int update = 0; update <= kUpdates; ++update, step *= kFading) {
    const std::vector<double> load = loads(demand, price, choice);
    double mean = 0.0;
    for (std::size_t t = 0; t < types; ++t) {
      fullness[t] = load[t] > 0.0 ? load[t] / capacity_[t] : 0.0;
      mean += fullness[t] / static_cast<double>(types);
    }
    for (std::size_t t = 0; update < kUpdates && t < types; ++t) {
      price[t] *= std::exp(step * (fullness[t] / mean - 1.0));
    }
  }
  const auto fullest = static_cast<std::size_t>(std::max_element(fullness.begin(), fullness.end()) -
                                                fullness.begin());
  std::vector<int> variables = {z_};
  std::vector<int> rows;
  for (std::size_t t = 0; t < types; ++t) {
    if (t != fullest) {
      rows.push_back(shares_.capacity_row(t));
    }
  }
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    if (shares_.share(m, choice[m]) == 0) {
      return;  // a row that no type can serve: the solver says so
    }
    variables.push_back(shares_.share(m, choice[m]));
    rows.push_back(shares_.time_row(m));
  }
  shares_.program().set_basis(variables, rows);
}

double BalancedShares::solve(std::span<const double> demand) {
  scaled_.clear();
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    scaled_.push_back(demand[m] * rows_[m].members / best_rate_of(rows_[m]));
  }
  largest_ = *std::max_element(scaled_.begin(), scaled_.end());
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    shares_.program().set(demand_rows_[m], z_, -scaled_[m] / largest_);
  }
  const SolveStatus status = shares_.program().solve();
  if (status != SolveStatus::kOptimal) {
    throw SolverError(
        "shares of time: the linear program has no optimum; "
        "expected every job to "
        "have a type with a throughput > 0");
  }
  return shares_.program().objective() / largest_;
}

// The dual of max z: min sum_t C_t p_t + sum_m N_m u_m over p, u, v >= 0 with
// W_m p_t + u_m >= v_m T_mt and sum_m v_m d_m = 1 (N copies in all, W gang, T rate, d demand). Any
// p >= 0 and any v >= 0, once scaled, are made feasible by the least u.
double BalancedShares::dual_bound() const {
  const LinearProgram& program = shares_.program();
  std::vector<double> value;  // v, of scaled throughput
  double worth = 0.0;
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    value.push_back(std::max(0.0, -program.dual(demand_rows_[m])));
    worth += value[m] * scaled_[m] / largest_;
  }
  if (!(worth > 0.0)) {
    return std::numeric_limits<double>::infinity();
  }
  double bound = 0.0;
  std::vector<double> price;
  for (std::size_t t = 0; t < capacity_.size(); ++t) {
    price.push_back(std::max(0.0, program.dual(shares_.capacity_row(t))) / worth);
    bound += capacity_[t] * price[t];
  }
  for (std::size_t m = 0; m < rows_.size(); ++m) {
    const ShareRow& row = rows_[m];
    double time_value = 0.0;
    for (std::size_t t = 0; t < price.size(); ++t) {
      time_value = std::max(
          time_value, value[m] / worth * row.rates[t] / best_rate_of(row) - row.gang * price[t]);
    }
    bound += row.members * row.copies * time_value;
  }
  return bound / largest_;
}

}  // namespace berth::schedulers

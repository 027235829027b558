// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "prices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "berth/error.hpp"

namespace berth::hadar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestMinimum = 0.999;  // of Umax, so that the curve rises

}  // namespace

PriceCurve::PriceCurve(double u_min, double u_max, std::uint32_t capacity)
    : price_(capacity + 1), sum_(capacity + 1, 0.0) {
  BERTH_CHECK(u_min > 0.0 && u_min < u_max && capacity > 0, "price range is increasing");
  const double log_ratio = std::log(u_max / u_min);
  for (std::uint32_t g = 0; g <= capacity; ++g) {
    price_[g] = u_min * std::exp(log_ratio * g / capacity);
    if (g > 0) {
      sum_[g] = sum_[g - 1] + price_[g - 1];
    }
  }
  price_[capacity] = u_max;
}

double PriceCurve::alpha_c() const {
  const double ratio = price_.back() / price_.front();
  const double c = capacity();
  return std::max(1.0, c * (std::pow(ratio, 1.0 / c) - 1.0));
}

double PriceCurve::alpha() const {
  return std::max(1.0, std::log(price_.back() / price_.front()));
}

UtilityRange utility_range(const RoundContext& context,
                           std::span<const JobView> jobs,
                           const Utility& utility,
                           const PriceOptions& options,
                           double horizon_seconds) {
  const std::size_t types = context.cluster.num_types();
  double u_max = 0.0;
  double u_min = kInfinity;
  double shortest_occupancy = kInfinity;  // min over jobs of tmax * W, in GPU-rounds
  for (const JobView& job : jobs) {
    const double gang = job.state->spec->gang;
    double worst_rate = kInfinity;
    for (const double rate : job.rates) {
      worst_rate = rate > 0.0 ? std::min(worst_rate, rate) : worst_rate;
    }
    const double rounds =
        std::max(1.0, job.state->spec->total_steps / worst_rate / context.round_seconds);
    // Earliest finish from now on: counted from the arrival, an old job would be priced out for
    // good.
    const double best = utility.of_running(job, job.best_rate, 0.0, {});
    const double worst = utility.at(job, horizon_seconds - job.state->spec->arrival_seconds);
    u_max = std::max(u_max, options.umax == UmaxRule::kPerGang ? best : best / gang);
    u_min = std::min(u_min, worst / (rounds * gang));
    shortest_occupancy = std::min(shortest_occupancy, rounds * gang);
  }
  double eta = options.eta;
  if (eta == 0.0) {
    const double horizon_rounds = horizon_seconds / context.round_seconds;
    eta = std::max(
        1.0, horizon_rounds * static_cast<double>(context.cluster.num_gpus()) / shortest_occupancy);
  }
  u_min = std::min(u_min / (4.0 * eta), kLargestMinimum * u_max);
  return {std::vector<double>(types, u_min), std::vector<double>(types, u_max)};
}

PriceBook::PriceBook(const Cluster& cluster, const UtilityRange& range, const PriceOptions& options)
    : cluster_(&cluster), enabled_(options.enabled) {
  for (const GpuPool& pool : cluster.pools()) {
    const auto type = static_cast<std::uint32_t>(index(pool.type));
    const bool new_book = options.pool == PricePool::kMachine || type_of_book_.empty() ||
                          type_of_book_.back() != type;
    if (new_book) {
      const std::uint32_t capacity =
          options.pool == PricePool::kMachine ? pool.count : cluster.capacity(pool.type);
      type_of_book_.push_back(type);
      if (enabled_) {
        curves_.emplace_back(range.u_min[type], range.u_max[type], capacity);
      }
    }
    book_of_pool_.push_back(static_cast<std::uint32_t>(type_of_book_.size()) - 1);
  }
  taken_.assign(type_of_book_.size(), 0);
  asked_.assign(type_of_book_.size(), 0);
}

void PriceBook::count(std::span<const GpuId> gpus) {
  for (const std::uint32_t book : touched_) {
    asked_[book] = 0;
  }
  touched_.clear();
  for (const GpuId gpu : gpus) {
    const std::uint32_t book = book_of_pool_[cluster_->pool_of(gpu)];
    if (asked_[book]++ == 0) {
      touched_.push_back(book);
    }
  }
}

double PriceBook::charge(std::span<const GpuId> gpus) {
  if (!enabled_) {
    return 0.0;
  }
  count(gpus);
  double sum = 0.0;
  for (const std::uint32_t book : touched_) {
    sum += curves_[book].charge(taken_[book], asked_[book]);
  }
  return sum;
}

double PriceBook::give_out(std::span<const GpuId> gpus) {
  if (!enabled_) {
    return 0.0;
  }
  count(gpus);
  double growth = 0.0;
  for (const std::uint32_t book : touched_) {
    const PriceCurve& curve = curves_[book];
    const std::uint32_t after = taken_[book] + asked_[book];
    growth += curve.capacity() * (curve.at(after) - curve.at(taken_[book]));
    taken_[book] = after;
  }
  return growth;
}

double PriceBook::charge_of_type(GpuTypeId type, std::uint32_t count) const {
  double sum = 0.0;
  // Prices rise, so the cheapest way to give out `count` is level by level over
  // the books.
  for (std::uint32_t level = 0; count > 0; ++level) {
    bool any = false;
    for (std::size_t book = 0; book < curves_.size() && count > 0; ++book) {
      if (type_of_book_[book] == index(type) && level < curves_[book].capacity()) {
        sum += curves_[book].at(level);
        --count;
        any = true;
      }
    }
    if (!any) {
      break;  // everything is free of charge
    }
  }
  return sum;
}

double PriceBook::least_price(GpuTypeId type) const {
  double least = enabled_ ? kInfinity : 0.0;
  for (std::size_t book = 0; book < curves_.size(); ++book) {
    if (type_of_book_[book] == index(type) && taken_[book] < curves_[book].capacity()) {
      least = std::min(least, curves_[book].at(taken_[book]));
    }
  }
  return least;
}

double PriceBook::initial_dual() const {
  double sum = 0.0;
  for (const PriceCurve& curve : curves_) {
    sum += curve.at(0) * curve.capacity();
  }
  return sum;
}

double PriceBook::alpha_c() const {
  double alpha = 1.0;
  for (const PriceCurve& curve : curves_) {
    alpha = std::max(alpha, curve.alpha_c());
  }
  return alpha;
}

double PriceBook::alpha() const {
  double alpha = 1.0;
  for (const PriceCurve& curve : curves_) {
    alpha = std::max(alpha, curve.alpha());
  }
  return alpha;
}

}  // namespace berth::hadar

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "utility.hpp"

namespace berth::hadar {

/// The price of one accelerator of a pool when g of its c are given out (Hadar,
/// IPDPS 2024): k(g) = Umin * (Umax / Umin)^(g / c), so that k(0) = Umin
/// lets anyone in and k(c) = Umax nobody.
class PriceCurve {
 public:
  PriceCurve() = default;
  /// @pre 0 < u_min < u_max, capacity > 0
  PriceCurve(double u_min, double u_max, std::uint32_t capacity);

  /// @param taken 0 .. capacity.
  [[nodiscard]] double at(std::uint32_t taken) const { return price_[taken]; }
  /// Unit by unit: sum of k(q) for q in from .. from+count-1. @pre from + count
  /// <= capacity
  [[nodiscard]] double charge(std::uint32_t from, std::uint32_t count) const {
    return sum_[from + count] - sum_[from];
  }
  [[nodiscard]] std::uint32_t capacity() const noexcept {
    return static_cast<std::uint32_t>(price_.size()) - 1;
  }
  /// The factor of the competitive proof for whole accelerators:
  /// max(1, c ((Umax/Umin)^(1/c) - 1)) >= ln(Umax/Umin).
  [[nodiscard]] double alpha_c() const;
  /// max(1, ln(Umax / Umin)).
  [[nodiscard]] double alpha() const;

 private:
  std::vector<double> price_;  // [capacity + 1]
  std::vector<double> sum_;    // [capacity + 1]
};

enum class PricePool : std::uint8_t { kMachine, kType };
enum class UmaxRule : std::uint8_t { kPerGpu, kPerGang };

struct PriceOptions {
  bool enabled = true;  ///< false: everything is free.
  PricePool pool = PricePool::kMachine;
  UmaxRule umax = UmaxRule::kPerGpu;
  double eta = 1.0;  ///< 0: the largest that the proof asks for.
};

/// Utility bounds per type, over the jobs of a round.
struct UtilityRange {
  std::vector<double> u_min;  ///< [num_types]
  std::vector<double> u_max;  ///< [num_types]
};

/// Umax_r and Umin_r of the curves; types that no job can use get the range of the
/// others.
/// @param horizon_seconds T, on the trace's clock.
[[nodiscard]] UtilityRange utility_range(const RoundContext& context,
                                         std::span<const JobView> jobs,
                                         const Utility& utility,
                                         const PriceOptions& options,
                                         double horizon_seconds);

/// The prices of one round, by pool of the cluster, and what has been given
/// out.
class PriceBook {
 public:
  PriceBook(const Cluster& cluster, const UtilityRange& range, const PriceOptions& options);

  /// The charge for these accelerators at the present prices.
  /// @param per_pool [num_pools] how many are asked for.
  [[nodiscard]] double charge(std::span<const GpuId> gpus);
  /// Gives them out: prices rise. Returns the growth of the dual, sum of c (k(g
  /// + w) - k(g)).
  double give_out(std::span<const GpuId> gpus);

  /// Unit by unit, the first `count` accelerators of a type, from nothing given
  /// out; exact where the pool is the type, and the fairest division over
  /// machines otherwise.
  [[nodiscard]] double charge_of_type(GpuTypeId type, std::uint32_t count) const;
  /// The least that any accelerator of a type costs now; used to skip hopeless
  /// jobs.
  [[nodiscard]] double least_price(GpuTypeId type) const;
  /// D0 = sum of k(0) c.
  [[nodiscard]] double initial_dual() const;
  [[nodiscard]] double alpha_c() const;
  [[nodiscard]] double alpha() const;
  [[nodiscard]] const PriceCurve& curve(std::size_t pool) const { return curves_[pool]; }

 private:
  void count(std::span<const GpuId> gpus);

  const Cluster* cluster_;
  bool enabled_;
  std::vector<std::uint32_t> book_of_pool_;  // [num_pools] position in curves_
  std::vector<PriceCurve> curves_;           // a machine's pool, or a type's
  std::vector<std::uint32_t> type_of_book_;
  std::vector<std::uint32_t> taken_;    // by book
  std::vector<std::uint32_t> asked_;    // by book, scratch
  std::vector<std::uint32_t> touched_;  // books asked, scratch
};

}  // namespace berth::hadar

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "rate_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace berth::launcher {
namespace {

constexpr std::size_t kTerms = 3;
using TermRow = std::array<double, kTerms>;

/// A rate that never limits: flops, or an op that has none.

/// Solves the normal equations over the terms in `used`; false if they do not determine them.
bool solve(const std::vector<TermRow>& rows, unsigned used, TermRow& x) {
  std::array<std::array<double, kTerms + 1>, kTerms> a{};
  for (const TermRow& row : rows) {
    for (std::size_t i = 0; i < kTerms; ++i) {
      for (std::size_t j = 0; j < kTerms; ++j) {
        a[i][j] += row[i] * row[j];
      }
      a[i][kTerms] += row[i];  // every target is 1: errors are relative
    }
  }
  for (std::size_t i = 0; i < kTerms; ++i) {
    if ((used >> i & 1U) == 0) {
      for (std::size_t j = 0; j <= kTerms; ++j) {
        a[i][j] = 0.0;
        a[std::min(j, kTerms - 1)][i] = 0.0;
      }
      a[i][i] = 1.0;
    }
  }
  for (std::size_t i = 0; i < kTerms; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i + 1; r < kTerms; ++r) {
      pivot = std::abs(a[r][i]) > std::abs(a[pivot][i]) ? r : pivot;
    }
    std::swap(a[i], a[pivot]);
    if (std::abs(a[i][i]) < 1e-12) {
      return false;
    }
    for (std::size_t r = 0; r < kTerms; ++r) {
      const double factor = r == i ? 0.0 : a[r][i] / a[i][i];
      for (std::size_t j = i; j <= kTerms && factor != 0.0; ++j) {
        a[r][j] -= factor * a[i][j];
      }
    }
  }
  for (std::size_t i = 0; i < kTerms; ++i) {
    x[i] = a[i][kTerms] / a[i][i];
  }
  return true;
}

/// Least squares of sum (row . x - 1)^2 with no x below 0: the best of all subsets of terms.
TermRow fit_terms(std::vector<TermRow> rows) {
  TermRow scale{};
  for (const TermRow& row : rows) {
    for (std::size_t i = 0; i < kTerms; ++i) {
      scale[i] = std::max(scale[i], row[i]);
    }
  }
  for (TermRow& row : rows) {
    for (std::size_t i = 0; i < kTerms; ++i) {
      row[i] /= scale[i] > 0.0 ? scale[i] : 1.0;
    }
  }
  TermRow best{};
  double least = std::numeric_limits<double>::infinity();
  for (unsigned used = 1; used < 1U << kTerms; ++used) {
    TermRow x{};
    if (!solve(rows, used, x) || std::ranges::any_of(x, [](double v) { return v < 0.0; })) {
      continue;
    }
    double error = 0.0;
    for (const TermRow& row : rows) {
      const double off = std::inner_product(row.begin(), row.end(), x.begin(), 0.0) - 1.0;
      error += off * off;
    }
    if (error < least - 1e-12) {
      least = error;
      best = x;
    }
  }
  for (std::size_t i = 0; i < kTerms; ++i) {
    best[i] /= scale[i] > 0.0 ? scale[i] : 1.0;
  }
  return best;
}

OpRate rate_from(const std::string& name, const TermRow& terms) {
  OpRate rate;
  rate.name = name;
  rate.peak = FlopsPerSecond{terms[0] > 0.0 ? 1.0 / terms[0] : kUnlimitedFlops};
  rate.memory_bandwidth = BytesPerSecond{terms[1] > 0.0 ? 1.0 / terms[1] : 0.0};
  rate.launch_overhead = Seconds{terms[2]};
  return rate;
}

double error_of(const OpRate& rate, std::span<const OpSample> samples) {
  double error = 0.0;
  for (const OpSample& sample : samples) {
    const double off = predicted_seconds(rate, sample.flops, sample.bytes) / sample.seconds - 1.0;
    error += off * off;
  }
  return error;
}

}  // namespace

double predicted_seconds(const OpRate& rate, double flops, double bytes) noexcept {
  const double compute = flops / rate.peak.value;
  const double memory =
      rate.memory_bandwidth.value > 0.0 ? bytes / rate.memory_bandwidth.value : 0.0;
  return std::max(compute, memory) + rate.launch_overhead.value;
}

OpRate fit_rate(std::string name, std::span<const OpSample> samples) {
  // flops / peak >= bytes / bandwidth where flops / bytes >= peak / bandwidth: whatever the rates,
  // a threshold on flops / bytes parts the samples, and there are few to try.
  std::vector<double> intensity;
  for (const OpSample& sample : samples) {
    intensity.push_back(sample.bytes > 0.0 ? sample.flops / sample.bytes
                                           : std::numeric_limits<double>::infinity());
  }
  std::vector<double> thresholds = intensity;
  std::ranges::sort(thresholds);
  const auto [first, last] = std::ranges::unique(thresholds);
  thresholds.erase(first, last);
  OpRate best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t split = 0; split <= thresholds.size(); ++split) {
    std::vector<TermRow> rows;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const OpSample& sample = samples[i];
      const bool by_compute = split < thresholds.size() && intensity[i] >= thresholds[split];
      rows.push_back({by_compute ? sample.flops / sample.seconds : 0.0,
                      by_compute ? 0.0 : sample.bytes / sample.seconds,
                      1.0 / sample.seconds});
    }
    const OpRate rate = rate_from(name, fit_terms(std::move(rows)));
    const double error = error_of(rate, samples);
    if (error < least) {
      least = error;
      best = rate;
    }
  }
  return best;
}

Line fit_line(std::span<const double> x, std::span<const double> y) {
  std::vector<TermRow> rows;
  for (std::size_t i = 0; i < x.size(); ++i) {
    rows.push_back({x[i] / y[i], 0.0, 1.0 / y[i]});
  }
  const TermRow terms = fit_terms(std::move(rows));
  return {terms[2], terms[0]};
}

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  const auto ranks = [](std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> rank(values.size());
    for (std::size_t i = 0; i < order.size();) {
      std::size_t end = i;
      while (end < order.size() && values[order[end]] == values[order[i]]) {
        ++end;
      }
      for (std::size_t j = i; j < end; ++j) {
        rank[order[j]] = 0.5 * static_cast<double>(i + end - 1);
      }
      i = end;
    }
    return rank;
  };
  const std::vector<double> ra = ranks(a);
  const std::vector<double> rb = ranks(b);
  const double mean = 0.5 * (static_cast<double>(a.size()) - 1.0);
  double ab = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < ra.size(); ++i) {
    ab += (ra[i] - mean) * (rb[i] - mean);
    aa += (ra[i] - mean) * (ra[i] - mean);
    bb += (rb[i] - mean) * (rb[i] - mean);
  }
  return aa > 0.0 && bb > 0.0 ? ab / std::sqrt(aa * bb) : 0.0;
}

}  // namespace berth::launcher

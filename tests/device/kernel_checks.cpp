// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Every kind of kernel call on a GPU beside the same call on the host.

#include <algorithm>
#include <cmath>
#include <vector>

#include "berth/rng.hpp"

#include "cuda/cuda_driver.hpp"
#include "device_checks.hpp"

namespace berth::device_check {
namespace {

using executors::CudaDriver;
using executors::Element;
using executors::KernelCall;
using executors::LoopNest;
using executors::MapCall;
using executors::ProductCall;
using executors::ProductPrecision;
using executors::ReduceCall;
using executors::SpinCall;
using executors::StreamId;

constexpr std::size_t kReals = 1U << 20U;  ///< Of each operand.

void add_loop(
    LoopNest& nest, std::uint32_t length, std::uint64_t out, std::uint64_t x, std::uint64_t y) {
  nest.length[nest.depth] = length;
  nest.stride[0][nest.depth] = out;
  nest.stride[1][nest.depth] = x;
  nest.stride[2][nest.depth] = y;
  ++nest.depth;
}

/// Three operands on the host and on a GPU.
class Bench {
 public:
  explicit Bench(ProductPrecision products = ProductPrecision::kFloat32)
      : driver_(settings_with(products)) {
    Rng rng(1, {17});
    for (int tensor = 0; tensor < 3; ++tensor) {
      host_[tensor].resize(kReals);
      for (float& value : host_[tensor]) {
        value = static_cast<float>(2.0 * rng.uniform() - 1.0) + (tensor == 2 ? 1.5F : 0.0F);
      }
      device_[tensor] = driver_.allocate(0, kReals * sizeof(float));
      driver_.write(0, device_[tensor], host_[tensor]);
    }
    driver_.make_events(std::vector<std::uint32_t>(2, 0));
  }
  ~Bench() {
    for (float* memory : device_) {
      driver_.release(0, memory);
    }
  }

  /// Runs the call on the GPU; gives its output.
  template <class Call>
  std::vector<float> on_device(Call call) {
    point(call, device_[0], device_[1], device_[2]);
    driver_.write(0, device_[0], host_[0]);
    const KernelCall one = call;
    driver_.launch({0, 0}, std::span(&one, 1));
    std::vector<float> found(kReals);
    driver_.read(0, device_[0], found);
    return found;
  }
  template <class Call>
  std::vector<float> on_host(Call call) {
    std::vector<float> out = host_[0];
    point(call, out.data(), host_[1].data(), host_[2].data());
    run(call);
    return out;
  }
  [[nodiscard]] CudaDriver& driver() { return driver_; }
  [[nodiscard]] float* memory() const { return device_[0]; }

 private:
  static executors::CudaSettings settings_with(ProductPrecision products) {
    executors::CudaSettings settings{1, 1, 1, 1};
    settings.products = products;
    return settings;
  }
  static void point(ProductCall& call, float* out, const float* x, const float* y) {
    call.c = out;
    call.a = x;
    call.b = y;
  }
  static void point(MapCall& call, float* out, const float* x, const float* y) {
    call.out = out;
    call.x = x;
    call.y = y;
  }
  static void point(ReduceCall& call, float* out, const float* x, const float*) {
    call.out = out;
    call.x = x;
  }
  static void run(const MapCall& call) {
    for (std::uint64_t point = 0; point < call.points; ++point) {
      executors::map_point(call, point);
    }
  }
  static void run(const ReduceCall& call) {
    for (std::uint64_t point = 0; point < call.points; ++point) {
      call.out[offsets_of(call.nest, point).out] = executors::reduce_lane(call, point, 0, 1);
    }
  }
  static void run(const ProductCall& p) {
    for (std::uint32_t b = 0; b < p.batch; ++b) {
      for (std::uint32_t i = 0; i < p.m; ++i) {
        for (std::uint32_t j = 0; j < p.n; ++j) {
          float& out = p.c[b * p.stride_c + i * p.ldc + j];
          double sum = p.accumulate ? static_cast<double>(out) : 0.0;
          for (std::uint32_t l = 0; l < p.k; ++l) {
            const float left =
                p.a[b * p.stride_a + (p.a_transposed ? l * p.lda + i : i * p.lda + l)];
            const float right =
                p.b[b * p.stride_b + (p.b_transposed ? j * p.ldb + l : l * p.ldb + j)];
            sum += static_cast<double>(left) * static_cast<double>(right);
          }
          out = static_cast<float>(sum);
        }
      }
    }
  }

  CudaDriver driver_;
  std::vector<float> host_[3];
  float* device_[3] = {nullptr, nullptr, nullptr};
};

double worst_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) {  // the root of a negative number
      continue;
    }
    const double apart = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) /
                         (1.0 + std::abs(static_cast<double>(b[i])));
    worst = apart <= worst ? worst : std::isfinite(apart) ? apart : 1e30;
  }
  return worst;
}

void check_maps(Bench& bench, CheckTable& table) {
  double worst = 0.0;
  int calls = 0;
  for (int element = 0; element <= static_cast<int>(Element::kCausalMask); ++element) {
    for (const bool strided : {false, true}) {
      MapCall call;
      call.element = static_cast<Element>(element);
      const bool pairs = call.element == Element::kPolar ||
                         call.element == Element::kComplexMultiply ||
                         call.element == Element::kRotate;
      if (strided && call.element != Element::kCausalMask) {  // a transposed read, a broadcast
        add_loop(call.nest, 37, 1300, 2, 0);
        add_loop(call.nest, 5, 250, 74, 2);
        add_loop(call.nest, 111, 2, 370, 10);
      } else {
        add_loop(call.nest, 70001, pairs ? 2 : 1, pairs ? 2 : 1, pairs ? 2 : 1);
      }
      call.points = 1;
      for (std::uint32_t loop = 0; loop < call.nest.depth; ++loop) {
        call.points *= call.nest.length[loop];
      }
      call.factor = 0.7F;
      call.shift = -0.3F;
      call.first_row = 3;
      call.first_column = 90;
      call.columns = 251;
      worst = std::max(worst, worst_difference(bench.on_device(call), bench.on_host(call)));
      ++calls;
    }
  }
  table.add("elementwise kernels", worst < 2e-6, words("%d calls, worst %.1e", calls, worst));
}

void check_reductions(Bench& bench, CheckTable& table) {
  double worst = 0.0;
  int calls = 0;
  for (const bool is_sum : {true, false}) {
    for (const std::uint32_t length : {1U, 7U, 32U, 33U, 4096U}) {
      for (const bool by_columns : {false, true}) {
        ReduceCall call;
        call.is_sum = is_sum;
        call.points = 61;
        call.reduced_points = length;
        add_loop(call.nest, 61, 3, by_columns ? 1 : length, 0);
        add_loop(call.reduced, length, 0, by_columns ? 61 : 1, 0);
        worst = std::max(worst, worst_difference(bench.on_device(call), bench.on_host(call)));
        ++calls;
      }
    }
  }
  table.add("reductions", worst < 1e-4, words("%d calls, worst %.1e", calls, worst));
}

void check_products(Bench& bench, const char* name, double tolerance, CheckTable& table) {
  double worst = 0.0;
  int calls = 0;
  for (int kind = 0; kind < 16; ++kind) {
    ProductCall call;
    call.m = 37;
    call.n = 29;
    call.k = 53;
    call.a_transposed = (kind & 1) != 0;
    call.b_transposed = (kind & 2) != 0;
    call.accumulate = (kind & 4) != 0;
    call.batch = (kind & 8) != 0 ? 5 : 1;
    call.lda = call.a_transposed ? 41 : 60;
    call.ldb = call.b_transposed ? 60 : 31;
    call.ldc = 33;
    call.stride_a = 4000;
    call.stride_b = 0;  // one matrix for all
    call.stride_c = 1400;
    worst = std::max(worst, worst_difference(bench.on_device(call), bench.on_host(call)));
    ++calls;
  }
  table.add(name, worst < tolerance, words("%d calls, worst %.1e", calls, worst));
}

void check_times(Bench& bench, CheckTable& table) {
  CudaDriver& driver = bench.driver();
  const StreamId compute{0, 0};
  const StreamId copies{0, 1};
  const auto timed = [&](StreamId stream, auto&& put) {
    driver.start_clock();
    driver.record(stream, 0);
    put();
    driver.record(stream, 1);
    driver.synchronize();
    return driver.event_seconds(1) - driver.event_seconds(0);
  };
  double worst = 0.0;
  for (const double seconds : {1e-4, 1e-3, 1e-2}) {
    const KernelCall spin = SpinCall{seconds, bench.memory(), 1.0F};
    const double found = timed(compute, [&] { driver.launch(compute, std::span(&spin, 1)); });
    worst = std::max(worst, std::abs(found / seconds - 1.0));
  }
  table.add("stated times of spins", worst < 0.15, words("off by %.1f %% at most", 100 * worst));
  driver.copy(copies, {0, 0, bench.memory(), bench.memory() + kReals / 2, 64, 1e-6});  // loads
  double late = 0.0;
  for (const double seconds : {1e-4, 1e-3, 1e-2}) {
    float* const memory = bench.memory();
    const double found = timed(copies, [&] {
      driver.copy(copies, {0, 0, memory, memory + kReals / 2, 65536, seconds});
    });
    late = std::max(late, std::abs(found - seconds));
  }
  table.add("times of limited copies", late < 1e-4, words("off by %.1f us at most", 1e6 * late));
  const KernelCall endless = SpinCall{60.0, bench.memory(), 1.0F};
  driver.start_clock();
  driver.launch(compute, std::span(&endless, 1));
  const double begin = driver.now();
  driver.cancel();
  driver.synchronize();
  const double waited = driver.now() - begin;
  table.add("a cancelled spin ends", waited < 1.0, words("after %.2f ms", 1e3 * waited));
}

}  // namespace

void check_kernels(const CheckScale& scale, CheckTable& table) {
  Bench bench;
  check_maps(bench, table);
  check_reductions(bench, table);
  check_products(bench, "matrix products (cuBLAS)", 1e-5, table);
  Bench tf32(ProductPrecision::kTf32);
  check_products(tf32, "matrix products in TF32", 5e-2, table);
  Bench bfloat16(ProductPrecision::kBfloat16);
  check_products(bfloat16, "matrix products in bfloat16", 3e-1, table);
  if (!scale.is_small) {
    check_times(bench, table);
  }
}

}  // namespace berth::device_check

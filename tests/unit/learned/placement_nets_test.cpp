// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// The networks against their definition, and their gradients against differences of it.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "device_codes.hpp"
#include "initial_weights.hpp"
#include "learned_problems.hpp"
#include "learned_view.hpp"
#include "plain_nets.hpp"

namespace berth::learned {
namespace {

/// A graph as a network sees it, weights, a placement, and a loss that is linear in the logits.
struct Example {
  Example(const PlacementNet& network, NetGraph seen, std::uint64_t seed)
      : net(&network), graph(std::move(seen)) {
    Rng rng(seed);
    weights = doppler::initial_weights(net->layout(), rng);
    for (std::size_t step = 0; step < graph.num_ops; ++step) {
      device.push_back(static_cast<std::uint32_t>(rng.below(graph.num_devices)));
      for (std::size_t d = 0; d < graph.num_devices; ++d) {
        slope.push_back(static_cast<float>(rng.uniform() - 0.5));
      }
    }
  }

  [[nodiscard]] std::vector<float> gradient(std::size_t steps_at_once) const {
    const auto pass = net->start(graph, weights.data(), true);
    for (std::size_t first = 0; first < graph.num_ops; first += steps_at_once) {
      const std::size_t count = std::min(steps_at_once, graph.num_ops - first);
      static_cast<void>(pass->logits(device, first, count));
      const auto begin = slope.begin() + static_cast<std::ptrdiff_t>(first * graph.num_devices);
      pass->backward({begin, begin + static_cast<std::ptrdiff_t>(count * graph.num_devices)});
    }
    std::vector<float> out(weights.size(), 0.0F);
    pass->add_gradient(out.data());
    return out;
  }

  /// Compares `gradient` with central differences of the loss of plain logits, three a parameter.
  template <class Logits>
  void expect_derivative(const std::vector<float>& gradient, const Logits& logits) const {
    std::vector<double> changed(weights.begin(), weights.end());
    const auto loss = [&] {
      double sum = 0.0;
      const std::vector<std::vector<double>> rows = logits(PlainWeights(net->layout(), changed));
      for (std::size_t step = 0; step < rows.size(); ++step) {
        for (std::size_t d = 0; d < graph.num_devices; ++d) {
          sum += static_cast<double>(slope[step * graph.num_devices + d]) * rows[step][d];
        }
      }
      return sum;
    };
    double largest = 0.0;
    for (const float g : gradient) {
      largest = std::max(largest, std::abs(static_cast<double>(g)));
    }
    constexpr double kStep = 1e-6;
    for (const doppler::Parameter& parameter : net->layout().parameters()) {
      for (const std::size_t at : {std::size_t{0}, parameter.size / 2, parameter.size - 1}) {
        double& weight = changed[parameter.offset + at];
        const double before = weight;
        weight = before + kStep;
        const double above = loss();
        weight = before - kStep;
        const double below = loss();
        weight = before;
        EXPECT_NEAR(gradient[parameter.offset + at], (above - below) / (2 * kStep), 2e-3 * largest)
            << parameter.name << " " << at;
      }
    }
  }

  const PlacementNet* net;
  NetGraph graph;
  std::vector<float> weights, slope;
  std::vector<std::uint32_t> device;
};

void expect_equal(const std::vector<float>& logits,
                  const std::vector<std::vector<double>>& plain,
                  std::size_t devices) {
  ASSERT_EQ(logits.size(), plain.size() * devices);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    EXPECT_NEAR(logits[i], plain[i / devices][i % devices], 1e-4) << "logit " << i;
  }
}

struct Form {
  const char* name;
  std::size_t devices;
  Speeds speeds;
};

NetGraph seen_by(const LearnedSettings& settings, std::size_t ops, const Form& form) {
  return make_learned_view(*random_problem(ops, form.devices, 5, form.speeds), settings).net;
}

class PlacetoNet : public ::testing::TestWithParam<Form> {};

TEST_P(PlacetoNet, EqualsItsDefinition) {
  PlacetoSizes sizes;
  const LearnedSettings settings = placeto_settings(GetParam().name, sizes);
  const auto net = make_placeto_net(sizes);
  const Example example(*net, seen_by(settings, 6, GetParam()), 3);
  const auto plain = [&](const PlainWeights& weights) {
    std::vector<std::vector<double>> rows;
    for (std::size_t step = 0; step < example.graph.num_ops; ++step) {
      rows.push_back(plain_placeto(sizes, example.graph, weights, example.device, step));
    }
    return rows;
  };
  const std::vector<double> exact(example.weights.begin(), example.weights.end());

  for (const bool with_gradient : {false, true}) {
    const auto pass = net->start(example.graph, example.weights.data(), with_gradient);
    expect_equal(pass->logits(example.device, 0, 6),
                 plain(PlainWeights(net->layout(), exact)),
                 example.graph.num_devices);
  }

  const std::vector<float> all_at_once = example.gradient(6);
  example.expect_derivative(all_at_once, plain);
  const std::vector<float> in_parts = example.gradient(4);
  for (std::size_t i = 0; i < in_parts.size(); ++i) {
    EXPECT_NEAR(in_parts[i], all_at_once[i], 1e-4) << "parameter " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms,
                         PlacetoNet,
                         ::testing::Values(Form{"every-step", 3, Speeds::kEqual},
                                           Form{"once", 3, Speeds::kEqual},
                                           Form{"constant", 3, Speeds::kEqual},
                                           Form{"every-step", 18, Speeds::kMixed},
                                           Form{"once", 18, Speeds::kMixed}));

/// An actor computes anew what a step can have changed; a new one, everything.
TEST(PlacetoActor, AnswersAtEachStepAsOneThatStartsThere) {
  PlacetoSizes sizes;
  const Form form{"every-step", 3, Speeds::kMixed};
  const LearnedSettings settings = placeto_settings(form.name, sizes);
  const auto net = make_placeto_net(sizes);
  const Example example(*net, seen_by(settings, 60, form), 3);
  const auto steady = net->start(example.graph, example.weights.data(), false);
  for (std::size_t step = 0; step < example.graph.num_ops; step += step % 7 == 3 ? 3 : 1) {
    const auto anew = net->start(example.graph, example.weights.data(), false);
    EXPECT_EQ(steady->logits(example.device, step, 1), anew->logits(example.device, step, 1))
        << "step " << step;
  }
  // Another episode of the same actor.
  const auto anew = net->start(example.graph, example.weights.data(), false);
  EXPECT_EQ(steady->logits(example.device, 0, 60), anew->logits(example.device, 0, 60));
}

class GdpNet : public ::testing::TestWithParam<Form> {};

TEST_P(GdpNet, EqualsItsDefinition) {
  GdpSizes sizes;
  const LearnedSettings settings = gdp_settings(GetParam().name, sizes);
  const auto net = make_gdp_net(sizes);
  // Two segments and a half; no gradient flows into the outputs of the segment before.
  const Example example(*net, seen_by(settings, 20, GetParam()), 3);
  const std::vector<double> exact(example.weights.begin(), example.weights.end());
  const PlainGdp plain =
      plain_gdp(sizes, example.graph, PlainWeights(net->layout(), exact), nullptr);

  const auto pass = net->start(example.graph, example.weights.data(), false);
  expect_equal(pass->logits({}, 0, 20), plain.logits, example.graph.num_devices);

  example.expect_derivative(example.gradient(20), [&](const PlainWeights& weights) {
    return plain_gdp(sizes, example.graph, weights, &plain.output).logits;
  });
}

INSTANTIATE_TEST_SUITE_P(Forms,
                         GdpNet,
                         ::testing::Values(Form{"row", 3, Speeds::kEqual},
                                           Form{"zeros", 3, Speeds::kEqual},
                                           Form{"row", 18, Speeds::kMixed}));

TEST(DeviceCodes, AreAsLongAsEachOtherAndApart) {
  constexpr std::size_t kDevices = 1024;
  const std::vector<float> codes = device_codes(kDevices);
  const auto dot = [&](std::size_t a, std::size_t b) {
    double sum = 0.0;
    for (std::size_t j = 0; j < kDeviceCode; ++j) {
      sum += static_cast<double>(codes[a * kDeviceCode + j]) * codes[b * kDeviceCode + j];
    }
    return sum;
  };
  for (std::size_t a = 0; a < kDevices; ++a) {
    ASSERT_NEAR(dot(a, a), 1.0, 1e-6) << a;
    for (std::size_t b = 0; b < a; ++b) {
      ASSERT_LT(dot(a, b), 1.0 - 1e-6) << a << " and " << b;
    }
  }
}

}  // namespace
}  // namespace berth::learned

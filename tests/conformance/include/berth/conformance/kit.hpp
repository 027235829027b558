// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "berth/conformance/offer_checks.hpp"
#include "berth/conformance/placement_checks.hpp"
#include "berth/conformance/trainable_checks.hpp"
#include "berth/conformance/training_checks.hpp"
#include "berth/plugin_host.hpp"

namespace berth::conformance {
namespace detail {

class Check final : public ::testing::Test {
 public:
  explicit Check(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

inline void add_test(const std::string& suite, const char* name, std::function<void()> body) {
  ::testing::RegisterTest(
      suite.c_str(),
      name,
      nullptr,
      nullptr,
      __FILE__,
      __LINE__,
      [body = std::move(body)]() -> ::testing::Test* { return new Check(body); });
}

/// "berth.placement/1" without "berth." and without its revision.
inline std::string short_name(std::string_view interface_id) {
  const std::size_t dot = interface_id.find('.');
  return std::string(interface_id.substr(dot + 1, interface_id.find('/') - dot - 1));
}

inline void add_placement_tests(const std::string& suite, const MakePlacement& make) {
  add_test(suite, "PlacesEveryProblemLegally", [make] { check_legal(make); });
  add_test(suite, "PlacesTheSameWayForASeed", [make] { check_deterministic(make); });
  add_test(suite, "PlacesAgainAsAFreshObject", [make] { check_reusable(make); });
  add_test(suite, "KeepsItsBudget", [make] { check_budget(make); });
}

inline void add_trainable_tests(const std::string& suite, const MakeTrainable& make) {
  add_test(suite, "RollsOutRepeatably", [make] { check_rollouts(make); });
  add_test(suite, "RollsOutFromSeveralThreads", [make] { check_threads(make); });
  add_test(suite, "HasFiniteGradients", [make] { check_gradients(make); });
  add_test(suite, "AddsGradientsOverRollouts", [make] { check_gradient_adds(make); });
  add_test(suite, "LearnsByAStep", [make] { check_step(make); });
  add_test(suite, "ContinuesFromItsState", [make] { check_state(make); });
  add_test(suite, "RefusesAStateWithAHole", [make] { check_missing_state(make); });
}

inline void add_training_job_tests(const std::string& suite, const MakeTrainingJob& make) {
  add_test(suite, "TrainsRepeatably", [make] { check_training(make); });
  add_test(suite, "ContinuesFromItsState", [make] { check_training_state(make); });
  add_test(suite, "ScoresWithoutChangingAnything", [make] { check_scores(make); });
}

}  // namespace detail

/// Registers the tests of every policy that the loaded plugins of `host` offer, one suite
/// "<plugin>/<policy>/<interface>" each. Call between InitGoogleTest and RUN_ALL_TESTS; `host` must
/// outlive the run. Offers of other interfaces get the tests of their options alone.
/// @return number of offers.
inline std::size_t add_tests(PluginHost& host) {
  std::size_t count = 0;
  for (const LoadedPlugin& plugin : host.loaded()) {
    const berth_plugin_descriptor& descriptor = *plugin.descriptor;
    for (const berth_offer& offer : std::span(descriptor.offers, descriptor.offer_count)) {
      const std::string name = offer.name;
      const std::string_view interface_id = offer.interface_id;
      const std::string suite =
          std::string(descriptor.name) + "/" + name + "/" + detail::short_name(interface_id);
      ++count;
      detail::add_test(suite, "IsDescribed", [&host, &offer] { check_offer(host, offer); });
      detail::add_test(
          suite, "RefusesWrongOptions", [&host, &offer] { check_wrong_options(host, offer); });
      if (interface_id == PlacementPolicy::kInterface) {
        detail::add_placement_tests(suite, [&host, name](std::uint64_t seed) {
          return host.placement_policy(name, {}, seed);
        });
      }
      if (interface_id == TrainablePolicy::kInterface) {
        const MakeTrainable make = [&host, name](std::uint64_t seed) {
          return host.trainable_policy(name, {}, seed);
        };
        detail::add_placement_tests(suite, make);
        detail::add_trainable_tests(suite, make);
      }
      if (interface_id == TrainingJob::kInterface) {
        detail::add_training_job_tests(
            suite, [&host, name](std::uint64_t seed) { return host.training_job(name, {}, seed); });
      }
    }
  }
  return count;
}

}  // namespace berth::conformance

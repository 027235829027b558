// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "broken_plugin_fixture.hpp"

namespace berth::broken {
namespace {

class BrokenCreate : public BrokenPlugin {
 protected:
  template <class Expected>
  std::string create(const std::string& name, const std::string& defect) {
    return error_text<Expected>(
        [&] { static_cast<void>(host_of(defect).placement_policy(name, {}, 1)); });
  }
};

TEST_F(BrokenCreate, AnExceptionBecomesAPluginError) {
  EXPECT_EQ(create<PluginError>("throws-in-create", "throws_in_create"),
            who("throws-in-create", "throws_in_create") + ": create failed: the table is empty");
}

TEST_F(BrokenCreate, AnErrorKeepsItsCategory) {
  EXPECT_EQ(create<SolverError>("throws-solver-error", "throws_solver_error"),
            who("throws-solver-error", "throws_solver_error") + ": create failed: no licence");
}

TEST_F(BrokenCreate, AThrownNumberBecomesAPluginError) {
  EXPECT_EQ(create<PluginError>("throws-number", "throws_number"),
            who("throws-number", "throws_number") +
                ": create failed: threw an object that is no std::exception");
}

TEST_F(BrokenCreate, AnExceptionThroughTheCBoundaryIsCaught) {
  EXPECT_EQ(create<PluginError>("raw", "throws_through_c"),
            who("raw", "throws_through_c") + ": create failed: let out");
}

TEST_F(BrokenCreate, NoObjectNamesWhatIsOffered) {
  EXPECT_EQ(create<PluginError>("raw", "returns_null"),
            who("raw", "returns_null") +
                ": create gave no object: it does not implement berth.placement/1 'raw'; it "
                "offers: berth.placement/1 'raw'");
}

TEST_F(BrokenCreate, AnInterfaceThatIsNotOfferedNamesThoseThatAre) {
  const auto ask = [&] { static_cast<void>(host_of("good").trainable_policy("good", {}, 1)); };

  EXPECT_EQ(error_text<PluginError>(ask),
            "'good' does not implement berth.trainable/1; it offers: berth.placement/1");
}

TEST_F(BrokenCreate, AnUnknownNameNamesTheNearest) {
  EXPECT_EQ(create<PluginError>("goood", "good"),
            "'goood' is offered by no plugin under berth.placement/1; did you mean 'good'?; there "
            "are: good");
}

TEST_F(BrokenCreate, APluginNamedByTheUserMustLoad) {
  EXPECT_EQ(create<PluginError>("good", "wrong_magic"),
            plugin_file("wrong_magic").string() +
                ": not a berth plugin (symbol 'berth_plugin' has another magic number)");
}

TEST_F(BrokenCreate, AnObjectIsDestroyedOnceOnThePluginsSide) {
  auto policy = host_of("counts_destroy").placement_policy("counts-destroy", {}, 1);
  EXPECT_EQ(logger.lines, std::vector<std::string>{"[counts-destroy] made"});

  policy.reset();

  EXPECT_EQ(logger.lines,
            (std::vector<std::string>{"[counts-destroy] made", "[counts-destroy] destroyed"}));
}

TEST_F(BrokenCreate, APolicyOutlivesItsHost) {
  MemoryLogger outer;
  auto host =
      std::make_unique<PluginHost>(PluginHost::SearchPath{{plugin_file("good")}, {}}, outer);
  const auto policy = host->placement_policy("good", {}, 1);
  const auto problem = chain_problem();
  Evaluator evaluator(*problem);
  Rng rng(1);

  host.reset();

  EXPECT_EQ(policy->place(*problem, evaluator, rng).device, std::vector<DeviceId>(3, DeviceId{0}));
}

}  // namespace
}  // namespace berth::broken

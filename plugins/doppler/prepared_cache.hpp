// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>

#include "encoder_net.hpp"
#include "prepared_problem.hpp"
#include "settings.hpp"

namespace berth::doppler {

/// Problems prepared for the current weights, so that message passing runs once per problem and
/// update however many rollouts and threads ask.
class PreparedCache {
 public:
  PreparedCache(const Settings& settings, const ParameterLayout& layout, const EncoderNet& encoder)
      : settings_(&settings), layout_(&layout), encoder_(&encoder) {}

  /// Whether the forward pass is recorded, so that a gradient may follow, or not.
  enum class Purpose : std::uint8_t { kInference, kTraining };

  /// @param version of `weights`; a new one makes all tables stale, not the views.
  [[nodiscard]] std::shared_ptr<const PreparedProblem> get(const PlacementProblem& problem,
                                                           std::span<const float> weights,
                                                           std::uint64_t version,
                                                           Purpose purpose);

  /// What a gradient needs: the pass recorded by get() where it is still there, else a new one.
  struct Recorded {
    PreparedProblem prepared;
    EncoderNet::Tape tape;
  };
  [[nodiscard]] Recorded take(const PlacementProblem& problem,
                              std::span<const float> weights,
                              std::uint64_t version);
  /// Drops the tables, for weights that changed without a new version.
  void forget();

 private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, int>;
  struct Entry {
    std::shared_ptr<const ProblemView> view;
    std::shared_ptr<const PreparedProblem> prepared;
    std::optional<EncoderNet::Tape> tape;  ///< Of `prepared`, until a gradient takes it.
    std::uint64_t version = 0;
  };
  static constexpr std::size_t kMostProblems = 512;

  Entry& entry(const PlacementProblem& problem);
  std::shared_ptr<const HeadWeights> current_heads(std::span<const float> weights,
                                                   std::uint64_t version);

  const Settings* settings_;
  const ParameterLayout* layout_;
  const EncoderNet* encoder_;
  std::mutex mutex_;
  std::map<Key, Entry> entries_;
  std::shared_ptr<const HeadWeights> heads_;
  std::uint64_t heads_version_ = 0;
};

}  // namespace berth::doppler

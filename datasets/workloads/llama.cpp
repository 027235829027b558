// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <map>
#include <string>

#include "berth/error.hpp"

#include "llama_sharding.hpp"
#include "workload.hpp"

namespace berth::datasets {
namespace {

constexpr double kEpsilon = 1e-5;      ///< Added to a mean of squares.
constexpr double kMasked = -1e9;       ///< The score of a position that must not be seen.
constexpr double kLargestTurn = 3.14;  ///< Radians.
constexpr Formula kCopy{"copy"};       ///< Change of precision: of float32 to itself here.
constexpr Formula kRepack{"copy", 1.0, 0.0, "complexer"};

/// Keys have the queries' positions, complex pairs half the features of a head.
std::map<char, double> extents(const WorkloadSpec& spec) {
  std::map<char, double> all = extents_of(spec,
                                          {{'s', kLlamaPositions},
                                           {'h', kLlamaHidden},
                                           {'n', kLlamaHeads},
                                           {'d', kLlamaHeadFeatures},
                                           {'f', kLlamaForward},
                                           {'v', kLlamaVocabulary}});
  if (std::fmod(all['d'], 2.0) != 0.0) {
    throw InputError("extents of '" + spec.name +
                     "': an odd number of features 'd' of a head; expected pairs");
  }
  all['t'] = all['s'];
  all['c'] = all['d'] / 2.0;
  return all;
}

/// One transformer layer, stage by stage (Touvron et al., 2023); weights are graph inputs.
class Llama {
 public:
  Llama(const char* name, const WorkloadSpec& spec, const Sharding::Table& table)
      : shards_(spec, table), extents_(extents(spec)), program_(name, extents_, spec.costs) {}

  /// Root-mean-square normalisation of `wide`, already in full precision.
  BlockedTensor norm(const std::string& name, const BlockedTensor& wide, const Parts& scale_parts) {
    const BlockedTensor square = program_.map_like(name + " square", {"square"}, "sh", {wide});
    const BlockedTensor mean =
        program_.reduce_like(name + " mean", "s", "h", square, Reduction::kSum);
    const BlockedTensor shifted = program_.map_like(
        name + " epsilon", {"affine", 1.0 / extents_.at('h'), kEpsilon}, "s", {mean});
    const BlockedTensor root = program_.map_like(name + " rsqrt", {"rsqrt"}, "s", {shifted});
    const BlockedTensor scaled =
        program_.map(name + " scale", {"multiply"}, "sh", scale_parts, {wide, root});
    const BlockedTensor cast = program_.map_like(name + " cast", kCopy, "sh", {scaled});
    return program_.map_like(name + " weight", {"multiply"}, "sh", {cast, program_.input("h")});
  }

  BlockedTensor project(const std::string& name, const BlockedTensor& x, char position) {
    return program_.reduce(name,
                           std::string(1, position) + "nd",
                           "h",
                           shards_.of(name),
                           {BlockedProgram::renamed(x, 's', position), program_.weight("hnd", "h")},
                           Reduction::kContract);
  }

  /// Rotary position embedding: pairs become complex numbers, turn, and become pairs again.
  BlockedTensor rotate(const std::string& name,
                       const BlockedTensor& x,
                       const BlockedTensor& turns,
                       char position) {
    const std::string real = std::string(1, position) + "nd";
    const std::string complex = std::string(1, position) + "nc";
    const BlockedTensor wide = program_.map_like(name + " widen", kCopy, real, {x});
    const BlockedTensor pairs =
        program_.map_like(name + " to complex", kRepack, complex, {wide}, 2.0);
    const BlockedTensor turned =
        program_.map_like(name + " turn",
                          {"complex-multiply"},
                          complex,
                          {pairs, BlockedProgram::renamed(turns, 's', position)},
                          2.0);
    const BlockedTensor back = program_.map_like(name + " to real", kRepack, real, {turned});
    return program_.map_like(name + " narrow", kCopy, real, {back});
  }

  /// @param mask a graph input for a block that attends to all positions without one.
  BlockedTensor attend(const BlockedTensor& q,
                       const BlockedTensor& k,
                       const BlockedTensor& v,
                       const BlockedTensor* mask) {
    const BlockedTensor scores =
        program_.reduce("scores", "nst", "d", shards_.of("scores"), {q, k}, Reduction::kContract);
    BlockedTensor logits = program_.map_like(
        "scores scale", {"affine", 1.0 / std::sqrt(extents_.at('d'))}, "nst", {scores});
    if (mask != nullptr) {
      logits = program_.map_like("scores mask", {"add"}, "nst", {logits, *mask});
    }
    const BlockedTensor wide = program_.map_like("softmax widen", kCopy, "nst", {logits});
    const BlockedTensor largest =
        program_.reduce_like("softmax max", "ns", "t", wide, Reduction::kMax);
    const BlockedTensor shifted =
        program_.map_like("softmax shift", {"subtract"}, "nst", {wide, largest});
    const BlockedTensor power = program_.map_like("softmax exp", {"exp"}, "nst", {shifted});
    const BlockedTensor total =
        program_.reduce_like("softmax sum", "ns", "t", power, Reduction::kSum);
    const BlockedTensor share =
        program_.map_like("softmax divide", {"divide"}, "nst", {power, total});
    const BlockedTensor narrow = program_.map_like("softmax narrow", kCopy, "nst", {share});
    const BlockedTensor mixed = program_.reduce(
        "attention", "nsd", "t", shards_.of("attention"), {v, narrow}, Reduction::kContract);
    return program_.reduce("o",
                           "sh",
                           "nd",
                           shards_.of("o"),
                           {mixed, program_.weight("ndh", "nd")},
                           Reduction::kContract);
  }

  /// Gated feed-forward net.
  BlockedTensor feed_forward(const BlockedTensor& x) {
    const BlockedTensor gate = program_.reduce(
        "gate", "sf", "h", shards_.of("up"), {x, program_.weight("hf", "h")}, Reduction::kContract);
    const BlockedTensor silu = program_.map_like("silu", {"silu"}, "sf", {gate});
    const BlockedTensor up = program_.reduce(
        "up", "sf", "h", shards_.of("up"), {x, program_.weight("hf", "h")}, Reduction::kContract);
    const BlockedTensor gated = program_.map_like("gated", {"multiply"}, "sf", {silu, up});
    return program_.reduce("down",
                           "sh",
                           "f",
                           shards_.of("down"),
                           {gated, program_.weight("fh", "f")},
                           Reduction::kContract);
  }

  /// From `x`, positions by hidden features, to the sum after the feed-forward net.
  BlockedTensor layer(const BlockedTensor& x,
                      const BlockedTensor& turns,
                      const BlockedTensor* mask) {
    const BlockedTensor wide = program_.map("norm1 widen", kCopy, "sh", shards_.of("norm1"), {x});
    const BlockedTensor normed = norm("norm1", wide, shards_.of("norm1 scale"));
    const BlockedTensor q = project("q", normed, 's');
    const BlockedTensor k = project("k", normed, 't');
    const BlockedTensor v = project("v", normed, 't');
    const BlockedTensor turned_q = rotate("rope q", q, turns, 's');
    const BlockedTensor turned_k = rotate("rope k", k, turns, 't');
    const BlockedTensor attention = attend(turned_q, turned_k, v, mask);
    const BlockedTensor sum = program_.map_like("residual1", {"add"}, "sh", {attention, x});
    const BlockedTensor wide2 = program_.map_like("norm2 widen", kCopy, "sh", {sum});
    const BlockedTensor net = feed_forward(norm("norm2", wide2, shards_.of("norm2 scale")));
    return program_.map("residual2", {"add"}, "sh", shards_.of("residual2"), {sum, net});
  }

  BlockedProgram& program() { return program_; }
  [[nodiscard]] const Sharding& shards() const { return shards_; }

 private:
  Sharding shards_;
  std::map<char, double> extents_;
  BlockedProgram program_;
};

/// `layers` layers between the mask and the logits of the last position.
Graph make_llama(const char* name, const WorkloadSpec& spec, std::size_t layers) {
  Llama llama(name, spec, llama_layer_sharding(spec));
  BlockedProgram& program = llama.program();
  const BlockedTensor mask = program.map(
      "mask", {"causal-mask", 1.0, kMasked, "fill"}, "st", llama.shards().of("mask"), {});
  const BlockedTensor turns = program.map(
      "turns", {"polar", 1.0, 0.0, "select"}, "sc", {}, {program.input("sc", kLargestTurn)}, 2.0);
  BlockedTensor x = program.input("sh");
  for (std::size_t i = 0; i < layers; ++i) {
    program.prefix(layers > 1 ? "layer " + std::to_string(i) + " " : "");
    x = llama.layer(x, turns, &mask);
  }
  program.prefix("");
  const BlockedTensor wide = program.map_like("norm3 widen", kCopy, "sh", {x});
  const BlockedTensor normed = llama.norm("norm3", wide, llama.shards().of("residual2"));
  const BlockedTensor last = program.map("last position",
                                         {"copy", 1.0, 0.0, "select"},
                                         "h",
                                         {},
                                         {BlockedProgram::last_slice(normed, 's')});
  const BlockedTensor flat =
      program.map("squeeze", {"copy", 1.0, 0.0, "squeezer"}, "h", {}, {last});
  program.reduce("logits",
                 "v",
                 "h",
                 llama.shards().of("logits"),
                 {flat, program.weight("hv", "h")},
                 Reduction::kContract);
  return program.finish();
}

}  // namespace

Graph make_llama_block(const WorkloadSpec& spec) {
  Llama llama("llama-block", spec, llama_block_sharding(spec));
  const BlockedTensor turns = llama.program().input("sc", kLargestTurn);
  llama.layer(llama.program().input("sh"), turns, nullptr);
  return llama.program().finish();
}

Graph make_llama_layer(const WorkloadSpec& spec) {
  return make_llama("llama-layer", spec, 1);
}

Graph make_llama_model(const WorkloadSpec& spec) {
  constexpr std::size_t kMostLayers = 1024;
  constexpr std::size_t kMostLayersTimesDevices = 65'536;  // Some gigabytes of ops.
  WorkloadSpec of_layer = spec;
  std::size_t layers = kLlamaLayers;
  if (const auto asked = of_layer.extents.extract('l'); !asked.empty()) {
    layers = asked.mapped();
  }
  if (layers > kMostLayers) {
    throw InputError("extents of 'llama-model': " + std::to_string(layers) +
                     " layers 'l'; expected 1 to " + std::to_string(kMostLayers));
  }
  if (layers * spec.devices > kMostLayersTimesDevices) {
    throw InputError("workload 'llama-model': " + std::to_string(layers) + " layers on " +
                     std::to_string(spec.devices) + " devices; expected at most " +
                     std::to_string(kMostLayersTimesDevices) + " as their product");
  }
  return make_llama("llama-model", of_layer, layers);
}

}  // namespace berth::datasets

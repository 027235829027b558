// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <string>

#include "llama_sharding.hpp"
#include "workload.hpp"

namespace berth::datasets {
namespace {

constexpr std::string_view kMap = "einsummable";

std::map<char, double> extents() {
  return {{'s', kLlamaPositions},
          {'t', kLlamaPositions},
          {'h', kLlamaHidden},
          {'n', kLlamaHeads},
          {'d', kLlamaHeadFeatures},
          {'c', kLlamaHeadFeatures / 2.0},
          {'f', kLlamaForward},
          {'v', kLlamaVocabulary}};
}

/// One transformer layer, stage by stage (Touvron et al., 2023); weights are graph inputs.
class Llama {
 public:
  Llama(const char* name, const WorkloadSpec& spec, const Sharding::Table& table)
      : shards_(spec, table), program_(name, extents(), spec.costs) {}

  /// Root-mean-square normalisation of `wide`, already in full precision.
  BlockedTensor norm(const std::string& name, const BlockedTensor& wide, const Parts& scale_parts) {
    const BlockedTensor square = program_.map_like(name + " square", kMap, "sh", {wide});
    const BlockedTensor mean = program_.reduce_like(name + " mean", "s", "h", square);
    const BlockedTensor shifted = program_.map_like(name + " epsilon", kMap, "s", {mean});
    const BlockedTensor root = program_.map_like(name + " rsqrt", kMap, "s", {shifted});
    const BlockedTensor scaled =
        program_.map(name + " scale", kMap, "sh", scale_parts, {wide, root});
    const BlockedTensor cast = program_.map_like(name + " cast", kMap, "sh", {scaled});
    return program_.map_like(name + " weight", kMap, "sh", {cast, BlockedProgram::input("h")});
  }

  BlockedTensor project(const std::string& name, const BlockedTensor& x, char position) {
    return program_.reduce(
        name,
        std::string(1, position) + "nd",
        "h",
        shards_.of(name),
        {BlockedProgram::renamed(x, 's', position), BlockedProgram::input("hnd")},
        2.0);
  }

  /// Rotary position embedding: pairs become complex numbers, turn, and become pairs again.
  BlockedTensor rotate(const std::string& name,
                       const BlockedTensor& x,
                       const BlockedTensor& turns,
                       char position) {
    const std::string real = std::string(1, position) + "nd";
    const std::string complex = std::string(1, position) + "nc";
    const BlockedTensor wide = program_.map_like(name + " widen", kMap, real, {x});
    const BlockedTensor pairs =
        program_.map_like(name + " to complex", "complexer", complex, {wide}, 2.0);
    const BlockedTensor turned = program_.map_like(
        name + " turn", kMap, complex, {pairs, BlockedProgram::renamed(turns, 's', position)}, 2.0);
    const BlockedTensor back = program_.map_like(name + " to real", "complexer", real, {turned});
    return program_.map_like(name + " narrow", kMap, real, {back});
  }

  /// @param mask a graph input for a block that attends to all positions without one.
  BlockedTensor attend(const BlockedTensor& q,
                       const BlockedTensor& k,
                       const BlockedTensor& v,
                       const BlockedTensor* mask) {
    const BlockedTensor scores =
        program_.reduce("scores", "nst", "d", shards_.of("scores"), {q, k}, 2.0);
    BlockedTensor logits = program_.map_like("scores scale", kMap, "nst", {scores});
    if (mask != nullptr) {
      logits = program_.map_like("scores mask", kMap, "nst", {logits, *mask});
    }
    const BlockedTensor wide = program_.map_like("softmax widen", kMap, "nst", {logits});
    const BlockedTensor largest = program_.reduce_like("softmax max", "ns", "t", wide);
    const BlockedTensor shifted = program_.map_like("softmax shift", kMap, "nst", {wide, largest});
    const BlockedTensor power = program_.map_like("softmax exp", kMap, "nst", {shifted});
    const BlockedTensor total = program_.reduce_like("softmax sum", "ns", "t", power);
    const BlockedTensor share = program_.map_like("softmax divide", kMap, "nst", {power, total});
    const BlockedTensor narrow = program_.map_like("softmax narrow", kMap, "nst", {share});
    const BlockedTensor mixed =
        program_.reduce("attention", "nsd", "t", shards_.of("attention"), {v, narrow}, 2.0);
    return program_.reduce(
        "o", "sh", "nd", shards_.of("o"), {mixed, BlockedProgram::input("ndh")}, 2.0);
  }

  /// Gated feed-forward net.
  BlockedTensor feed_forward(const BlockedTensor& x) {
    const BlockedTensor gate =
        program_.reduce("gate", "sf", "h", shards_.of("up"), {x, BlockedProgram::input("hf")}, 2.0);
    const BlockedTensor silu = program_.map_like("silu", kMap, "sf", {gate});
    const BlockedTensor up =
        program_.reduce("up", "sf", "h", shards_.of("up"), {x, BlockedProgram::input("hf")}, 2.0);
    const BlockedTensor gated = program_.map_like("gated", kMap, "sf", {silu, up});
    return program_.reduce(
        "down", "sh", "f", shards_.of("down"), {gated, BlockedProgram::input("fh")}, 2.0);
  }

  /// From the embedded positions to the sum after the feed-forward net.
  BlockedTensor layer(const BlockedTensor& turns, const BlockedTensor* mask) {
    const BlockedTensor x = BlockedProgram::input("sh");
    const BlockedTensor wide = program_.map("norm1 widen", kMap, "sh", shards_.of("norm1"), {x});
    const BlockedTensor normed = norm("norm1", wide, shards_.of("norm1 scale"));
    const BlockedTensor q = project("q", normed, 's');
    const BlockedTensor k = project("k", normed, 't');
    const BlockedTensor v = project("v", normed, 't');
    const BlockedTensor turned_q = rotate("rope q", q, turns, 's');
    const BlockedTensor turned_k = rotate("rope k", k, turns, 't');
    const BlockedTensor attention = attend(turned_q, turned_k, v, mask);
    const BlockedTensor sum = program_.map_like("residual1", kMap, "sh", {attention, x});
    const BlockedTensor wide2 = program_.map_like("norm2 widen", kMap, "sh", {sum});
    const BlockedTensor net = feed_forward(norm("norm2", wide2, shards_.of("norm2 scale")));
    return program_.map("residual2", kMap, "sh", shards_.of("residual2"), {sum, net});
  }

  BlockedProgram& program() { return program_; }
  [[nodiscard]] const Sharding& shards() const { return shards_; }

 private:
  Sharding shards_;
  BlockedProgram program_;
};

}  // namespace

Graph make_llama_block(const WorkloadSpec& spec) {
  Llama llama("llama-block", spec, llama_block_sharding(spec));
  llama.layer(BlockedProgram::input("sc"), nullptr);
  return llama.program().finish();
}

Graph make_llama_layer(const WorkloadSpec& spec) {
  Llama llama("llama-layer", spec, llama_layer_sharding(spec));
  BlockedProgram& program = llama.program();
  const BlockedTensor mask = program.map("mask", "fill", "st", llama.shards().of("mask"), {});
  const BlockedTensor turns =
      program.map("turns", "select", "sc", {}, {BlockedProgram::input("sc")}, 2.0);
  const BlockedTensor out = llama.layer(turns, &mask);
  const BlockedTensor wide = program.map_like("norm3 widen", kMap, "sh", {out});
  const BlockedTensor normed = llama.norm("norm3", wide, llama.shards().of("residual2"));
  const BlockedTensor last =
      program.map("last position", "select", "h", {}, {BlockedProgram::last_slice(normed, 's')});
  const BlockedTensor flat = program.map("squeeze", "squeezer", "h", {}, {last});
  program.reduce(
      "logits", "v", "h", llama.shards().of("logits"), {flat, BlockedProgram::input("hv")}, 2.0);
  return program.finish();
}

}  // namespace berth::datasets

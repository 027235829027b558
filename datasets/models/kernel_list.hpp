// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "kernel_times.hpp"
#include "model.hpp"

namespace berth::datasets {

/// How the kernels of a training framework are written.
struct KernelChoices {
  bool flash_attention = true;  ///< One kernel, no matrix of sequence^2 scores in memory.
};

/// Degrees of one configuration; see StrategyConfiguration.
struct Degrees {
  std::uint32_t tensor = 1;
  std::uint32_t context = 1;
  std::uint32_t expert = 1;
  bool sequence_parallel = false;
  std::uint32_t micro_batch = 1;
};

/// Where a kernel stands in the traffic between the devices of a block.
enum class KernelSite : std::uint8_t {
  kLocal,
  kGathersSequence,  ///< Starts from the whole row: behind an all-gather with sequence parallelism.
  kReduces,          ///< Ends with partial sums over the tensor ranks.
  kSeesContext,      ///< Needs the keys and values of all context ranks.
  kDispatches,       ///< Its tokens come from all expert ranks.
  kCombines,         ///< Partial sums as kReduces, and its tokens go back to all expert ranks.
};

/// One kernel of a forward pass on one device. m > 0: `count` products of m x k by k x n, bf16;
/// moved_bytes > 0: memory traffic; both at once: fused, the longer one counts.
struct Kernel {
  const char* name = "";
  double m = 0.0;
  double n = 0.0;
  double k = 0.0;
  double count = 1.0;
  double moved_bytes = 0.0;
  double copies = 1.0;  ///< Launched so many times.
  double output_bytes = 0.0;
  KernelSite site = KernelSite::kLocal;
  bool attention_core = false;  ///< What selective recomputation repeats.

  [[nodiscard]] double seconds(const KernelTimes& times) const;
};

/// Sizes that all kernels of one layer share, for one device.
struct KernelSizes {
  KernelSizes(const Transformer& model, const Degrees& degrees);

  double tokens;
  double sequence;  ///< Whole.
  double batch;
  double hidden;
  double t;
  double sp;  ///< What divides norms and residuals.
  double kv_width;
  double head_in;   ///< Width of queries and keys.
  double head_out;  ///< Of values.
  double heads;
};

/// Kernels of the forward pass in order: transformer layer `index`, embedding, head.
[[nodiscard]] std::vector<Kernel> layer_kernels(const Transformer& model,
                                                std::uint32_t index,
                                                const Degrees& degrees,
                                                const KernelChoices& choices);
[[nodiscard]] std::vector<Kernel> embedding_kernels(const Transformer& model,
                                                    const Degrees& degrees);
[[nodiscard]] std::vector<Kernel> head_kernels(const Transformer& model, const Degrees& degrees);

/// Whether layer `index` has a mixture of experts.
[[nodiscard]] bool has_experts(const Transformer& model, std::uint32_t index);

}  // namespace berth::datasets

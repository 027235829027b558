// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace berth::datasets {

/// Multi-head latent attention (DeepSeek-V2, 2024); all zero: ordinary attention.
struct LatentAttention {
  std::uint32_t query_rank = 0;
  std::uint32_t key_value_rank = 0;
  std::uint32_t nope_head = 0;
  std::uint32_t rope_head = 0;
  std::uint32_t value_head = 0;
};

/// Mixture of experts in the layers after the first `dense_layers`; experts == 0: none.
struct Experts {
  std::uint32_t experts = 0;
  std::uint32_t active = 0;  ///< Per token.
  std::uint32_t shared = 0;  ///< Experts that see every token.
  std::uint32_t hidden = 0;  ///< Inner width of one expert.
  std::uint32_t dense_layers = 0;
};

/// A transformer: what its costs and parameters follow from.
struct Transformer {
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head = 0;  ///< Width of one head.
  std::uint32_t feed_forward = 0;
  std::uint32_t vocabulary = 0;
  std::uint32_t sequence = 0;   ///< Tokens of one sample.
  std::uint32_t positions = 0;  ///< Learned positions; 0: rotary or none.
  std::uint32_t token_types = 0;
  std::uint32_t norm_vectors = 1;  ///< Per norm: 1 scale alone, 2 with a bias.
  bool gated = true;               ///< Three matrices in the feed-forward part instead of two.
  bool biases = false;
  bool qkv_biases = false;
  bool tied = false;            ///< Head and embedding share the vocabulary matrix.
  bool dropout = false;         ///< Masks are saved.
  double extra_parameters = 0;  ///< Beside layers, embedding and head matrix: pooler, head layers.
  double patch_parameters = 0;  ///< Of an image embedding in place of a vocabulary.
  std::uint32_t classes = 0;    ///< Outputs of a classifier in place of a vocabulary head.
  LatentAttention latent;
  Experts experts;
};

/// One convolution (or the classifier) of a chain, as an implicit product.
struct Convolution {
  std::uint32_t pixels = 0;     ///< Of the output, per sample.
  std::uint32_t in = 0;         ///< Input channels times kernel area.
  std::uint32_t out = 0;        ///< Output channels.
  double input_elements = 0.0;  ///< Per sample.
};

/// A residual block or stem: a layer of a convolutional chain.
struct ConvolutionBlock {
  std::string name;
  std::vector<Convolution> convolutions;
  double norm_parameters = 0.0;  ///< And biases.
  double output_elements = 0.0;  ///< Per sample.
};

/// A model to plan: a transformer, or a chain of convolution blocks.
struct Model {
  std::string name;
  Transformer transformer;
  std::vector<ConvolutionBlock> blocks;  ///< Not empty: no transformer.
  double published_parameters = 0.0;     ///< 0 where nobody published a number.
  std::string_view source;               ///< Of architecture and parameter count.

  [[nodiscard]] bool is_transformer() const noexcept { return blocks.empty(); }
};

/// Parameters by part of a transformer layer, whole (not divided over devices).
struct LayerParameters {
  double sharded = 0.0;     ///< Divided by the tensor width.
  double replicated = 0.0;  ///< On every device: norms, router.
  double experts = 0.0;     ///< Divided by tensor and expert width.
};

/// Parameters of transformer layer `index`. @pre model.is_transformer()
[[nodiscard]] LayerParameters layer_parameters(const Transformer& model, std::uint32_t index);

/// Parameters of embedding and head; a tied matrix counts in the embedding only.
[[nodiscard]] double embedding_parameters(const Transformer& model);
[[nodiscard]] double head_parameters(const Transformer& model);

/// All parameters of the model.
[[nodiscard]] double parameter_count(const Model& model);

/// Names of the models that come with Berth, in order.
[[nodiscard]] std::vector<std::string> model_names();

/// A model that comes with Berth, or a Hugging Face config.json (a word that ends in .json).
/// @throws InputError naming the nearest model; or the file and field.
[[nodiscard]] Model read_model(const std::string& word);

/// Reads a Hugging Face config.json: model_type llama, mistral, mixtral, qwen2, gpt2, bert or
/// deepseek_v3. @throws InputError naming file and field; other types are refused, not guessed.
[[nodiscard]] Model read_hugging_face_config(const std::filesystem::path& file);

}  // namespace berth::datasets

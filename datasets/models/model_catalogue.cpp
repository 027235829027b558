// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "berth/config.hpp"
#include "berth/error.hpp"

#include "json_fields.hpp"
#include "model.hpp"

namespace berth::datasets {
namespace {

Model bert_large() {
  Model model{"bert-large", {}, {}, 336e6, "Devlin et al. 2018; bert-large-uncased model card"};
  Transformer& m = model.transformer;
  m.layers = 24;
  m.hidden = 1024;
  m.heads = m.kv_heads = 16;
  m.head = 64;
  m.feed_forward = 4096;
  m.vocabulary = 30522;
  m.sequence = m.positions = 512;
  m.token_types = 2;
  m.norm_vectors = 2;
  m.gated = false;
  m.biases = m.tied = m.dropout = true;
  // Transform of the masked-token head with its norm, and the bias of the vocabulary.
  m.extra_parameters = 1024.0 * 1024 + 1024 + 2 * 1024 + 30522;
  return model;
}

Model gpt(const char* name,
          std::uint32_t layers,
          std::uint32_t hidden,
          std::uint32_t heads,
          std::uint32_t vocabulary,
          double published,
          const char* source) {
  Model model{name, {}, {}, published, source};
  Transformer& m = model.transformer;
  m.layers = layers;
  m.hidden = hidden;
  m.heads = m.kv_heads = heads;
  m.head = hidden / heads;
  m.feed_forward = 4 * hidden;
  m.vocabulary = vocabulary;
  m.sequence = m.positions = 2048;
  m.norm_vectors = 2;
  m.gated = false;
  m.biases = m.tied = m.dropout = true;
  return model;
}

struct LlamaShape {
  const char* name;
  std::uint32_t layers, hidden, heads, kv_heads, feed_forward, vocabulary, sequence;
  double published;
  const char* source;
};

Model llama(const LlamaShape& shape) {
  Model model{shape.name, {}, {}, shape.published, shape.source};
  Transformer& m = model.transformer;
  m.layers = shape.layers;
  m.hidden = shape.hidden;
  m.heads = shape.heads;
  m.kv_heads = shape.kv_heads;
  m.head = shape.hidden / shape.heads;
  m.feed_forward = shape.feed_forward;
  m.vocabulary = shape.vocabulary;
  m.sequence = shape.sequence;
  return model;
}

Model mixtral_8x7b() {
  Model model = llama({"mixtral-8x7b",
                       32,
                       4096,
                       32,
                       8,
                       14336,
                       32000,
                       4096,
                       46.7e9,
                       "Jiang et al. 2024, arXiv 2401.04088"});
  model.transformer.experts = {8, 2, 0, 14336, 0};
  return model;
}

Model mixtral_8x22b() {
  Model model = llama({"mixtral-8x22b",
                       56,
                       6144,
                       48,
                       8,
                       16384,
                       32768,
                       4096,
                       141e9,
                       "mistral.ai, Mixtral 8x22B announcement, 2024"});
  model.transformer.experts = {8, 2, 0, 16384, 0};
  return model;
}

Model deepseek_v3() {
  Model model = llama({"deepseek-v3",
                       61,
                       7168,
                       128,
                       128,
                       18432,
                       129280,
                       4096,
                       671e9,
                       "DeepSeek-AI 2024, arXiv 2412.19437"});
  model.transformer.latent = {1536, 512, 128, 64, 128};
  model.transformer.experts = {256, 8, 1, 2048, 3};
  return model;
}

Model vit(const char* name,
          std::uint32_t layers,
          std::uint32_t hidden,
          std::uint32_t heads,
          std::uint32_t feed_forward,
          std::uint32_t patch,
          double published) {
  Model model{name, {}, {}, published, "Dosovitskiy et al. 2020, arXiv 2010.11929, table 1"};
  Transformer& m = model.transformer;
  m.layers = layers;
  m.hidden = hidden;
  m.heads = m.kv_heads = heads;
  m.head = hidden / heads;
  m.feed_forward = feed_forward;
  m.sequence = m.positions = (224 / patch) * (224 / patch) + 1;
  m.norm_vectors = 2;
  m.gated = false;
  m.biases = true;
  m.patch_parameters = 3.0 * patch * patch * hidden + hidden + hidden;  // bias and class token
  m.classes = 1000;
  return model;
}

// He et al. 2015, table 1: a stem, four groups of bottlenecks, a classifier.
Model resnet_50() {
  Model model{"resnet-50", {}, {}, 25.557e6, "He et al. 2015; torchvision documentation"};
  ConvolutionBlock stem{
      "stem", {{112 * 112, 3 * 49, 64, 3.0 * 224 * 224}}, 2 * 64.0, 64.0 * 56 * 56};
  model.blocks.push_back(stem);
  std::uint32_t in = 64;
  std::uint32_t side = 56;
  const std::uint32_t blocks[] = {3, 4, 6, 3};
  for (std::uint32_t group = 0; group < 4; ++group) {
    const std::uint32_t inner = 64U << group;
    const std::uint32_t out = 4 * inner;
    for (std::uint32_t b = 0; b < blocks[group]; ++b) {
      const std::uint32_t before = side;
      if (b == 0 && group > 0) {
        side /= 2;
      }
      const std::uint32_t small = side * side;
      const std::uint32_t large = before * before;
      ConvolutionBlock block;
      block.name = "block" + std::to_string(group + 1) + "." + std::to_string(b);
      block.convolutions = {{large, in, inner, double{1} * in * large},
                            {small, 9 * inner, inner, double{1} * inner * large},
                            {small, inner, out, double{1} * inner * small}};
      block.norm_parameters = 2.0 * (inner + inner + out);
      if (b == 0) {
        block.convolutions.push_back({small, in, out, double{1} * in * large});
        block.norm_parameters += 2.0 * out;
      }
      block.output_elements = double{1} * out * small;
      model.blocks.push_back(std::move(block));
      in = out;
    }
  }
  model.blocks.push_back({"classifier", {{1, 2048, 1000, 2048.0}}, 1000.0, 1000.0});
  return model;
}

const std::vector<Model>& catalogue() {
  static const std::vector<Model> kModels = {
      bert_large(),
      gpt("gpt3-175b", 96, 12288, 96, 50257, 175.0e9, "Brown et al. 2020, table 2.1"),
      gpt("megatron-22b", 48, 6144, 64, 51200, 22.0e9, "Korthikanti et al. 2022, table 3"),
      gpt("mt-nlg-530b", 105, 20480, 128, 51200, 530.0e9, "Korthikanti et al. 2022, table 3"),
      llama({"llama2-7b",
             32,
             4096,
             32,
             32,
             11008,
             32000,
             4096,
             6.738e9,
             "Touvron et al. 2023, arXiv 2307.09288; model card"}),
      llama({"llama2-13b",
             40,
             5120,
             40,
             40,
             13824,
             32000,
             4096,
             13.016e9,
             "Touvron et al. 2023, arXiv 2307.09288; model card"}),
      llama({"llama2-70b",
             80,
             8192,
             64,
             8,
             28672,
             32000,
             4096,
             68.977e9,
             "Touvron et al. 2023, arXiv 2307.09288; model card"}),
      llama({"llama3-8b",
             32,
             4096,
             32,
             8,
             14336,
             128256,
             8192,
             8.03e9,
             "Grattafiori et al. 2024, arXiv 2407.21783; model card"}),
      llama({"llama3-70b",
             80,
             8192,
             64,
             8,
             28672,
             128256,
             8192,
             70.6e9,
             "Grattafiori et al. 2024, arXiv 2407.21783; model card"}),
      llama({"llama3-405b",
             126,
             16384,
             128,
             8,
             53248,
             128256,
             8192,
             405.9e9,
             "Grattafiori et al. 2024, arXiv 2407.21783; model card"}),
      mixtral_8x7b(),
      mixtral_8x22b(),
      deepseek_v3(),
      vit("vit-l16", 24, 1024, 16, 4096, 16, 304.3e6),
      vit("vit-h14", 32, 1280, 16, 5120, 14, 632e6),
      resnet_50(),
  };
  return kModels;
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model& model : catalogue()) {
    names.push_back(model.name);
  }
  return names;
}

Model read_model(const std::string& word) {
  if (word.size() > 5 && word.substr(word.size() - 5) == ".json") {
    return read_hugging_face_config(word);
  }
  for (const Model& model : catalogue()) {
    if (model.name == word) {
      return model;
    }
  }
  refuse_file_without_ending(word);
  const std::vector<std::string> names = model_names();
  const std::string near = nearest_name(word, names);
  std::string all;
  for (const std::string& name : names) {
    all += (all.empty() ? "" : ", ") + name;
  }
  throw InputError("unknown model '" + word + "'; " +
                   (near.empty() ? "expected one of " + all + ", or a Hugging Face config.json"
                                 : "did you mean '" + near + "'?"));
}

}  // namespace berth::datasets

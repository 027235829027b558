// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "json_fields.hpp"
#include "model.hpp"

namespace berth::datasets {
namespace {

// Far above any published transformer, and what the planners still cut within minutes.
constexpr std::int64_t kMostLayers = 1000;

std::uint32_t count(const JsonField& root, const char* key, std::int64_t least = 1) {
  return static_cast<std::uint32_t>(root.at(key).integer(least, 100'000'000));
}

std::uint32_t layer_count(const JsonField& root, const char* key) {
  return static_cast<std::uint32_t>(root.at(key).integer(1, kMostLayers));
}

std::uint32_t count_or(const JsonField& root, const char* key, std::uint32_t fallback) {
  return root.has(key) ? count(root, key, 0) : fallback;
}

bool flag_or(const JsonField& root, const char* key, bool fallback) {
  return root.has(key) ? root.at(key).boolean() : fallback;
}

void read_llama_like(const JsonField& root, Transformer& m) {
  m.layers = layer_count(root, "num_hidden_layers");
  m.hidden = count(root, "hidden_size");
  m.heads = count(root, "num_attention_heads");
  m.kv_heads = count_or(root, "num_key_value_heads", m.heads);
  m.head = count_or(root, "head_dim", m.hidden / m.heads);
  m.feed_forward = count(root, "intermediate_size");
  m.vocabulary = count(root, "vocab_size");
  m.sequence = count_or(root, "max_position_embeddings", 4096);
  m.tied = flag_or(root, "tie_word_embeddings", false);
  m.biases = flag_or(root, "attention_bias", false) && flag_or(root, "mlp_bias", false);
}

void read_gpt2(const JsonField& root, Transformer& m) {
  m.layers = layer_count(root, "n_layer");
  m.hidden = count(root, "n_embd");
  m.heads = m.kv_heads = count(root, "n_head");
  m.head = m.hidden / m.heads;
  m.feed_forward = count_or(root, "n_inner", 4 * m.hidden);
  m.vocabulary = count(root, "vocab_size");
  m.sequence = m.positions = count(root, "n_positions");
  m.norm_vectors = 2;
  m.gated = false;
  m.biases = m.tied = m.dropout = true;
}

void read_bert(const JsonField& root, Transformer& m) {
  read_llama_like(root, m);
  m.kv_heads = m.heads;
  m.positions = m.sequence;
  m.token_types = count_or(root, "type_vocab_size", 2);
  m.norm_vectors = 2;
  m.gated = false;
  m.biases = m.tied = m.dropout = true;
  const double h = m.hidden;
  m.extra_parameters = h * h + h + 2 * h + m.vocabulary;
}

void read_deepseek(const JsonField& root, Transformer& m) {
  read_llama_like(root, m);
  m.latent = {count(root, "q_lora_rank"),
              count(root, "kv_lora_rank"),
              count(root, "qk_nope_head_dim"),
              count(root, "qk_rope_head_dim"),
              count(root, "v_head_dim")};
  m.experts = {count(root, "n_routed_experts"),
               count(root, "num_experts_per_tok"),
               count_or(root, "n_shared_experts", 0),
               count(root, "moe_intermediate_size"),
               count_or(root, "first_k_dense_replace", 0)};
}

// What the numbers must be to each other.
void check_shape(const Transformer& m, const std::string& place) {
  const auto fail = [&place](const std::string& what) { throw InputError(place + ": " + what); };
  if (m.kv_heads == 0 || m.heads % m.kv_heads != 0) {
    fail(std::to_string(m.kv_heads) + " key-value heads; expected a divisor of the " +
         std::to_string(m.heads) + " heads");
  }
  if (m.head == 0 && m.latent.key_value_rank == 0) {
    fail("heads of width 0; expected at least 1");
  }
  if (m.sequence == 0) {
    fail("sequences of 0 tokens; expected at least 1");
  }
  if (m.experts.active > m.experts.experts) {
    fail(std::to_string(m.experts.active) + " experts per token; expected at most the " +
         std::to_string(m.experts.experts) + " there are");
  }
  if (m.experts.dense_layers > m.layers) {
    fail(std::to_string(m.experts.dense_layers) + " dense layers first; expected at most the " +
         std::to_string(m.layers) + " layers");
  }
}

}  // namespace

Model read_hugging_face_config(const std::filesystem::path& file) {
  const nlohmann::json json = parse_json_file(file);
  const JsonField root(json, file.string() + ": ");
  const std::string type = root.at("model_type").text();
  Model model;
  model.name = file.parent_path().filename().string();
  model.name = model.name.empty() || file.stem() != "config" ? file.stem().string() : model.name;
  model.source = "Hugging Face config.json";
  Transformer& m = model.transformer;
  if (type == "llama" || type == "mistral") {
    read_llama_like(root, m);
  } else if (type == "qwen2") {
    read_llama_like(root, m);
    m.qkv_biases = true;
  } else if (type == "mixtral") {
    read_llama_like(root, m);
    m.experts = {
        count(root, "num_local_experts"), count(root, "num_experts_per_tok"), 0, m.feed_forward, 0};
  } else if (type == "gpt2") {
    read_gpt2(root, m);
  } else if (type == "bert") {
    read_bert(root, m);
  } else if (type == "deepseek_v3") {
    read_deepseek(root, m);
  } else {
    root.at("model_type").fail("llama, mistral, qwen2, mixtral, gpt2, bert or deepseek_v3");
  }
  if (m.hidden % m.heads != 0 && m.latent.key_value_rank == 0 && !root.has("head_dim")) {
    throw InputError(file.string() + ": hidden size " + std::to_string(m.hidden) +
                     " is no multiple of " + std::to_string(m.heads) + " heads; expected one");
  }
  check_shape(m, file.string());
  return model;
}

}  // namespace berth::datasets

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "throughput_estimate.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "berth/error.hpp"

#include "accelerators.hpp"

namespace berth::datasets {
namespace {

constexpr double kReached = 0.35;           // of the peak, by training in single precision
constexpr double kBackward = 3.0;           // forward and backward, in forwards
constexpr double kStepOverhead = 10e-3;     // seconds of host work and launches
constexpr double kLinkInMachine = 12e9;     // bytes/s, PCIe 3.0 x16
constexpr double kLinkBetween = 1.25e9;     // bytes/s, 10 Gbit/s Ethernet
constexpr double kBytesPerParameter = 4.0;  // of a gradient
constexpr double kStateBytes = 16.0;        // weight, gradient and two moments
constexpr double kUsableMemory = 0.9;
constexpr std::array<std::uint32_t, 5> kGangs = {1, 2, 4, 8, 16};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return out;
}

DeviceSpec device_of(const std::string& gpu) {
  std::string known;
  for (const Accelerator& accelerator : accelerators()) {
    if (!gpu.empty() && lower(accelerator.name).starts_with(lower(gpu))) {
      return make_device(accelerator.name, gpu);
    }
    known += (known.empty() ? "" : ", ") + std::string(accelerator.name);
  }
  throw InputError("estimated throughputs: accelerator '" + gpu +
                   "' is not in the catalogue; expected the beginning of one of " + known);
}

double gang_rate(const TrainingModel& model,
                 std::uint32_t batch,
                 std::uint32_t gang,
                 const DeviceSpec& device,
                 double link) {
  const double samples = std::max(1U, batch);
  if (kStateBytes * model.parameters + samples * model.activation_bytes >
      kUsableMemory * device.memory.value) {
    return 0.0;
  }
  const double compute = kBackward * model.forward_flops * samples / (kReached * device.peak.value);
  const double traffic =
      kBackward * model.activation_bytes * samples / device.memory_bandwidth.value;
  const double exchange = 2.0 * (gang - 1.0) / gang * kBytesPerParameter * model.parameters / link;
  return gang / (std::max(compute, traffic) + kStepOverhead + exchange);
}

}  // namespace

std::span<const TrainingModel> training_models() {
  // ResNet-18 on 32x32 and ResNet-50 on 224x224 images; a base Transformer on sentence pairs of 32
  // tokens each; an LSTM of two layers of 200 over 35 tokens and 33,278 words; an autoencoder of
  // 20,108 items and 200 hidden units; actor and critic over 20 frames; two generators and two
  // discriminators on 256x256 images.
  static const std::vector<TrainingModel> kModels = {
      {"ResNet-18", 1.11e9, 11.2e6, 10e6, {16, 32, 64, 128, 256}, true},
      {"ResNet-50", 8.2e9, 25.6e6, 90e6, {16, 32, 64, 128}, true},
      {"Transformer", 5.6e9, 61e6, 30e6, {16, 32, 64, 128, 256}, true},
      {"LM", 0.49e9, 14e6, 5e6, {5, 10, 20, 40, 80}, true},
      {"Recommendation", 16e6, 8.1e6, 170e3, {512, 1024, 2048, 4096, 8192}, false},
      {"A3C", 0.2e9, 1.2e6, 20e6, {0}, false},
      {"CycleGAN", 5.0e11, 28e6, 3e9, {0}, false},
  };
  return kModels;
}

ThroughputTable estimate_throughputs(std::span<const std::string> gpus) {
  std::vector<ThroughputEntry> entries;
  for (const std::string& gpu : std::set<std::string>(gpus.begin(), gpus.end())) {
    const DeviceSpec device = device_of(gpu);
    for (const TrainingModel& model : training_models()) {
      for (const std::uint32_t batch : model.batches) {
        for (const std::uint32_t gang : kGangs) {
          if (gang > 1 && !model.runs_in_gangs) {
            continue;
          }
          for (const bool together : {true, false}) {
            entries.push_back(
                {{model.name, batch},
                 gang,
                 gpu,
                 together,
                 gang_rate(model, batch, gang, device, together ? kLinkInMachine : kLinkBetween)});
          }
        }
      }
    }
  }
  return {"estimated throughputs", entries};
}

}  // namespace berth::datasets

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "accelerators.hpp"

#include <array>
#include <string>
#include <vector>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/units.hpp"

namespace berth::datasets {
namespace {

// Launch overheads are not on data sheets: 5 us is the usual order for a CUDA kernel launch on
// these hosts and is meant to be replaced by a calibration. Prices are list prices in US dollars,
// of the date and place that each entry names; a cluster file overrides them (price_per_hour).
constexpr std::array kAccelerators = {
    Accelerator{"cpu-core",
                "50GFLOPS",
                "50GFLOPS",
                "10GB/s",
                "4GiB",
                "1us",
                "rough figure for one AVX2 server core at 3 GHz and its share of memory (2026); "
                "calibrate",
                0.05,
                "rough on-demand price of one vCPU pair at large clouds (2024)"},
    Accelerator{"P100-PCIE-16GB",
                "9.3TFLOPS",
                "18.7TFLOPS",
                "732GB/s",
                "16GiB",
                "5us",
                "NVIDIA Tesla P100 PCIe data sheet (2016)",
                1.46,
                "Google Cloud GPU price list, us-central1, on demand (2024)"},
    Accelerator{"P100-SXM2-16GB",
                "10.6TFLOPS",
                "21.2TFLOPS",
                "732GB/s",
                "16GiB",
                "5us",
                "NVIDIA Tesla P100 white paper (2016)",
                1.46,
                "as the PCIe model"},
    Accelerator{"V100-SXM2-16GB",
                "15.7TFLOPS",
                "125TFLOPS",
                "900GB/s",
                "16GiB",
                "5us",
                "NVIDIA Tesla V100 data sheet (2018)",
                2.48,
                "Google Cloud GPU price list, us-central1, on demand (2024)"},
    Accelerator{"A100-PCIE-80GB",
                "19.5TFLOPS",
                "312TFLOPS",
                "1935GB/s",
                "80GiB",
                "5us",
                "NVIDIA A100 80GB data sheet (2021)",
                3.67,
                "Azure NC24ads A100 v4, East US, pay as you go (2024)"},
    Accelerator{"A100-SXM4-80GB",
                "19.5TFLOPS",
                "312TFLOPS",
                "2039GB/s",
                "80GiB",
                "5us",
                "NVIDIA A100 80GB data sheet (2021)",
                5.12,
                "AWS p4de.24xlarge, us-east-1, on demand, an eighth of 40.97 (2024)"},
    Accelerator{"H100-SXM5-80GB",
                "67TFLOPS",
                "989TFLOPS",
                "3350GB/s",
                "80GiB",
                "5us",
                "NVIDIA H100 data sheet (2023)",
                12.29,
                "AWS p5.48xlarge, us-east-1, on demand, an eighth of 98.32 (2024)"},
    Accelerator{"K80",
                "4.37TFLOPS",
                "4.37TFLOPS",
                "240GB/s",
                "12GiB",
                "5us",
                "NVIDIA Tesla K80 data sheet (2014), one of its two GPUs with boost",
                0.45,
                "Google Cloud GPU price list, us-central1, on demand (2023)"},
    Accelerator{"V100-SXM2-32GB",
                "15.7TFLOPS",
                "125TFLOPS",
                "900GB/s",
                "32GiB",
                "5us",
                "NVIDIA Tesla V100 data sheet (2018)",
                3.90,
                "AWS p3dn.24xlarge, us-east-1, on demand, an eighth of 31.21 (2024)"},
    Accelerator{"T4",
                "8.1TFLOPS",
                "65TFLOPS",
                "320GB/s",
                "16GiB",
                "5us",
                "NVIDIA T4 data sheet (2019)",
                0.35,
                "Google Cloud GPU price list, us-central1, on demand (2024)"},
    Accelerator{"TPUv4",
                "275TFLOPS",
                "275TFLOPS",
                "1200GB/s",
                "32GiB",
                "5us",
                "Google Cloud TPU v4 documentation (2022); bfloat16 is its only matrix format",
                3.22,
                "Google Cloud TPU price list, us-central2, on demand, per chip (2024)"},
    Accelerator{"RTX3090",
                "35.6TFLOPS",
                "71TFLOPS",
                "936GB/s",
                "24GiB",
                "5us",
                "NVIDIA GA102 white paper (2020)",
                0.43,
                "RunPod secure cloud (2024)"},
    Accelerator{"RTX4090",
                "82.6TFLOPS",
                "165.2TFLOPS",
                "1008GB/s",
                "24GiB",
                "5us",
                "NVIDIA Ada white paper (2022)",
                0.69,
                "RunPod secure cloud (2024)"},
    Accelerator{"H200-SXM-141GB",
                "67TFLOPS",
                "989TFLOPS",
                "4800GB/s",
                "141GB",
                "5us",
                "NVIDIA H200 data sheet (2024)",
                10.60,
                "Google Cloud a3-ultragpu-8g, on demand, an eighth of 84.81 (2025)"},
    Accelerator{"B200-SXM-180GB",
                "75TFLOPS",
                "2250TFLOPS",
                "7700GB/s",
                "180GB",
                "5us",
                "NVIDIA DGX B200 data sheet (2024), an eighth of the system",
                14.24,
                "AWS p6-b200.48xlarge, on demand, an eighth of 113.93 (2025)"},
};

}  // namespace

std::span<const Accelerator> accelerators() {
  return kAccelerators;
}

DeviceSpec make_device(std::string_view accelerator, std::string_view name) {
  std::vector<std::string> names;
  for (const Accelerator& known : kAccelerators) {
    if (known.name == accelerator) {
      DeviceSpec device;
      device.name = name;
      device.type = known.name;
      device.peak = parse_rate(known.peak);
      device.memory_bandwidth = parse_bandwidth(known.memory_bandwidth);
      device.memory = parse_bytes(known.memory);
      device.launch_overhead = parse_seconds(known.launch_overhead);
      return device;
    }
    names.emplace_back(known.name);
  }
  const std::string near = nearest_name(accelerator, names);
  std::string all;
  for (const std::string& known : names) {
    all += (all.empty() ? "" : ", ") + known;
  }
  throw InputError("unknown accelerator '" + std::string(accelerator) + "'; " +
                   (near.empty() ? "expected one of " + all : "did you mean '" + near + "'?"));
}

}  // namespace berth::datasets

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "accelerators.hpp"

#include <algorithm>
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
// of the date and place that each entry names, and stand only where an offer could be looked up;
// a cluster file sets others (price_per_hour).
constexpr std::array kAccelerators = {
    Accelerator{"cpu-core",
                "50GFLOPS",
                "50GFLOPS",
                "10GB/s",
                "4GiB",
                "1us",
                "rough figure for one AVX2 server core at 3 GHz and its share of memory (2026); "
                "calibrate",
                0.0,
                ""},
    Accelerator{"P100-PCIE-16GB",
                "9.3TFLOPS",
                "18.7TFLOPS",
                "732GB/s",
                "16GiB",
                "5us",
                "NVIDIA Tesla P100 PCIe data sheet (2016)",
                0.0,
                ""},
    Accelerator{"P100-SXM2-16GB",
                "10.6TFLOPS",
                "21.2TFLOPS",
                "732GB/s",
                "16GiB",
                "5us",
                "NVIDIA Tesla P100 white paper (2016)",
                0.0,
                ""},
    Accelerator{"V100-SXM2-16GB",
                "15.7TFLOPS",
                "125TFLOPS",
                "900GB/s",
                "16GiB",
                "5us",
                "NVIDIA Tesla V100 data sheet (2018)",
                3.06,
                "AWS p3.2xlarge, us-east-2, on demand (2021)"},
    Accelerator{"A100-PCIE-80GB",
                "19.5TFLOPS",
                "312TFLOPS",
                "1935GB/s",
                "80GiB",
                "5us",
                "NVIDIA A100 80GB data sheet (2021)",
                3.67,
                "Azure NC24ads A100 v4, East US, pay as you go (2026)"},
    Accelerator{"A100-SXM4-80GB",
                "19.5TFLOPS",
                "312TFLOPS",
                "2039GB/s",
                "80GiB",
                "5us",
                "NVIDIA A100 80GB data sheet (2021)",
                3.43,
                "AWS p4de.24xlarge, us-east-1, on demand, an eighth of 27.45 (2026)"},
    Accelerator{"H100-SXM5-80GB",
                "67TFLOPS",
                "989TFLOPS",
                "3350GB/s",
                "80GiB",
                "5us",
                "NVIDIA H100 data sheet (2023)",
                6.88,
                "AWS p5.48xlarge, us-east-1, on demand, an eighth of 55.04 (2026)"},
    Accelerator{"K80",
                "4.37TFLOPS",
                "4.37TFLOPS",
                "240GB/s",
                "12GiB",
                "5us",
                "NVIDIA Tesla K80 data sheet (2014), one of its two GPUs with boost",
                0.90,
                "AWS p2.xlarge, on demand (2018)"},
    Accelerator{"V100-SXM2-32GB",
                "15.7TFLOPS",
                "125TFLOPS",
                "900GB/s",
                "32GiB",
                "5us",
                "NVIDIA Tesla V100 data sheet (2018)",
                0.0,
                ""},
    Accelerator{"V100-PCIE-16GB",
                "14TFLOPS",
                "112TFLOPS",
                "900GB/s",
                "16GiB",
                "5us",
                "NVIDIA Tesla V100 data sheet (2018)",
                0.0,
                ""},
    Accelerator{"T4",
                "8.1TFLOPS",
                "65TFLOPS",
                "320GB/s",
                "16GiB",
                "5us",
                "NVIDIA T4 data sheet (2019)",
                0.0,
                ""},
    Accelerator{"TPUv4",
                "275TFLOPS",
                "275TFLOPS",
                "1200GB/s",
                "32GiB",
                "5us",
                "Google Cloud TPU v4 documentation (2022); bfloat16 is its only matrix format",
                0.0,
                ""},
    Accelerator{"RTX3090",
                "35.6TFLOPS",
                "71TFLOPS",
                "936GB/s",
                "24GiB",
                "5us",
                "NVIDIA GA102 white paper (2020)",
                0.0,
                ""},
    Accelerator{"RTX4090",
                "82.6TFLOPS",
                "165.2TFLOPS",
                "1008GB/s",
                "24GiB",
                "5us",
                "NVIDIA Ada white paper (2022)",
                0.0,
                ""},
    Accelerator{"H200-SXM-141GB",
                "67TFLOPS",
                "989TFLOPS",
                "4800GB/s",
                "141GB",
                "5us",
                "NVIDIA H200 data sheet (2024)",
                0.0,
                ""},
    Accelerator{"B200-SXM-180GB",
                "75TFLOPS",
                "2250TFLOPS",
                "7700GB/s",
                "180GB",
                "5us",
                "NVIDIA Blackwell data sheet, HGX B200, one GPU (2024)",
                14.24,
                "AWS p6-b200.48xlarge, on demand, an eighth of 113.93 (2026)"},
};

// NVLink: half of the bidirectional figure of the data sheet. PCIe: what large copies reach of the
// nominal rate. Latencies of a few microseconds are typical of NCCL; they and the network of nodes
// without a sheet of their own are assumptions, to be replaced by a calibration.
constexpr std::array kNodeLinks = {
    NodeLink{"k80",
             "K80",
             "pcie3",
             "8GB/s",
             "10us",
             "1.25GB/s",
             "two GPUs of a card share PCIe 3.0 x16, nominal 15.75 GB/s (PCI-SIG, 2010); 10 Gbit/s "
             "Ethernet assumed"},
    NodeLink{
        "p100",
        "P100-SXM2-16GB",
        "nvlink1",
        "80GB/s",
        "6us",
        "6.25GB/s",
        "NVIDIA Tesla P100 white paper (2016), 160 GB/s both ways; DGX-1 data sheet (2016), four "
        "100 Gbit/s cards for eight GPUs"},
    NodeLink{
        "v100",
        "V100-SXM2-32GB",
        "nvlink2",
        "150GB/s",
        "6us",
        "6.25GB/s",
        "NVIDIA Tesla V100 data sheet (2018), 300 GB/s both ways; DGX-1 data sheet (2017), four "
        "100 Gbit/s cards for eight GPUs"},
    NodeLink{"t4",
             "T4",
             "pcie3",
             "12GB/s",
             "10us",
             "3.125GB/s",
             "NVIDIA T4 data sheet (2019), PCIe 3.0 x16; 25 Gbit/s Ethernet assumed"},
    NodeLink{
        "a100",
        "A100-SXM4-80GB",
        "nvlink3",
        "300GB/s",
        "5us",
        "25GB/s",
        "NVIDIA A100 80GB data sheet (2021), 600 GB/s both ways; DGX A100 data sheet (2020), eight "
        "200 Gbit/s cards"},
    NodeLink{
        "h100",
        "H100-SXM5-80GB",
        "nvlink4",
        "450GB/s",
        "5us",
        "50GB/s",
        "NVIDIA H100 data sheet (2023), 900 GB/s both ways; DGX H100 data sheet (2022), eight 400 "
        "Gbit/s cards"},
    NodeLink{
        "h200",
        "H200-SXM-141GB",
        "nvlink4",
        "450GB/s",
        "5us",
        "50GB/s",
        "NVIDIA H200 data sheet (2024), 900 GB/s both ways; DGX H200 data sheet (2024), eight 400 "
        "Gbit/s cards"},
    NodeLink{
        "b200",
        "B200-SXM-180GB",
        "nvlink5",
        "900GB/s",
        "5us",
        "50GB/s",
        "NVIDIA DGX B200 data sheet (2024), 14.4 TB/s both ways for eight GPUs; eight 400 Gbit/s "
        "cards"},
    NodeLink{"tpuv4",
             "TPUv4",
             "ici",
             "50GB/s",
             "2us",
             "25GB/s",
             "Jouppi et al., TPU v4 (ISCA 2023), 50 GB/s a link; 200 Gbit/s between pods assumed"},
    NodeLink{"rtx3090",
             "RTX3090",
             "pcie4",
             "25GB/s",
             "10us",
             "3.125GB/s",
             "PCIe 4.0 x16, nominal 31.5 GB/s (PCI-SIG, 2017); 25 Gbit/s Ethernet assumed"},
    NodeLink{"rtx4090",
             "RTX4090",
             "pcie4",
             "25GB/s",
             "10us",
             "3.125GB/s",
             "PCIe 4.0 x16, nominal 31.5 GB/s (PCI-SIG, 2017); 25 Gbit/s Ethernet assumed"},
};

constexpr std::array kLinkRates = {
    LinkRate{"pcie3-x16", "12GB/s", "5us", "nominal 15.75 GB/s (PCI-SIG, 2010)"},
    LinkRate{"pcie4-x16", "24GB/s", "5us", "nominal 31.5 GB/s (PCI-SIG, 2017)"},
    LinkRate{"qpi", "16GB/s", "0s", "9.6 GT/s, nominal 19.2 GB/s (Intel Xeon E5 v3, 2014)"},
    LinkRate{
        "nvlink2-link", "25GB/s", "2us", "one of six links (NVIDIA Tesla V100 white paper, 2017)"},
    LinkRate{"nvswitch3", "450GB/s", "2us", "18 NVLink 4 links (NVIDIA H100 white paper, 2022)"},
    LinkRate{
        "core-copy", "8GB/s", "1us", "one core copying in shared memory, rough (2026); calibrate"},
    LinkRate{"switch-hop", "0GB/s", "5us", "one more switch on the way, rough (2026); calibrate"},
};

}  // namespace

std::span<const Accelerator> accelerators() {
  return kAccelerators;
}

std::span<const NodeLink> node_links() {
  return kNodeLinks;
}

std::span<const LinkRate> link_rates() {
  return kLinkRates;
}

const LinkRate& link_rate(std::string_view name) {
  const auto* const at = std::find_if(kLinkRates.begin(),
                                      kLinkRates.end(),
                                      [&](const LinkRate& rate) { return rate.name == name; });
  BERTH_CHECK(at != kLinkRates.end(), "a link of the catalogue");
  return *at;
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

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include "doppler_bench/experiments.hpp"
#include "doppler_bench/methods.hpp"

namespace berth::launcher {

/// The chosen workloads that have no size for measured tables, separated by commas; mostly none.
[[nodiscard]] std::string unmeasured_workloads(const BenchSettings& settings);
/// Whether none of the chosen workloads has one.
[[nodiscard]] bool measures_nothing(const BenchSettings& settings);
/// Those that have one, separated by commas.
[[nodiscard]] std::string measured_workloads();

/// Opens the executor for the first problem that would be measured and closes it again, so that one
/// that cannot be used is refused before hours of training. Does nothing where nothing is measured.
/// @throws as PluginHost::device_executor().
void try_executor(PluginHost& host, const BenchSettings& settings, Logger& logger);

/// Adds measured times of the constructive and search methods among `chosen`, and, where `doppler`
/// is among them, of DOPPLER-SIM and DOPPLER-SYS (stages I to III): real kernels on two devices of
/// this host, all placements of a workload in turn. Does nothing where nothing measures.
/// @throws as PluginHost::device_executor().
void add_measured_methods(const Bench& bench, std::span<const Method> chosen, Section& section);

/// Adds the same for trainings by real runs alone, imitation and real runs, and all three stages.
void add_measured_stages(const Bench& bench, Section& section);

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/error.hpp"

#include "commands.hpp"

namespace berth::launcher {

int run_train(std::span<const std::string> /*words*/) {
  throw PluginError(
      "berth train: this berth was built without MPI; expected one built where MPI is installed "
      "(Debian: libopenmpi-dev, openmpi-bin)");
}

int run_bench_doppler(std::span<const std::string> /*words*/) {
  throw PluginError(
      "berth bench doppler: this berth was built without MPI; expected one built where MPI is "
      "installed (Debian: libopenmpi-dev, openmpi-bin)");
}

int run_schedule_execute(std::span<const std::string> /*words*/) {
  throw PluginError(
      "berth schedule --execute: this berth was built without MPI; expected one built where MPI is "
      "installed (Debian: libopenmpi-dev, openmpi-bin)");
}

}  // namespace berth::launcher

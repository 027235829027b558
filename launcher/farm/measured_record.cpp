// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "measured_record.hpp"

#include <vector>

#include "state_arrays.hpp"

namespace berth::launcher {

void MeasuredRecord::save(StateWriter& writer, const std::string& at) const {
  put(writer, at + "incumbent", incumbent);
  writer.text(at + "source", source);
  put(writer,
      at + "times",
      std::vector<double>{nominal, simulated, seconds, first_seconds, regret, worst_regret});
  put(writer,
      at + "counts",
      std::vector<std::uint64_t>{measured, timed_out, out_of_memory, screened, adopted});
}

void MeasuredRecord::load(const StateReader& reader, const std::string& at) {
  if (!reader.has(at + "source")) {
    return;
  }
  incumbent = get_placement(reader, at + "incumbent");
  source = reader.text(at + "source");
  const std::vector<double> times = get<double>(reader, at + "times", 6);
  nominal = times[0];
  simulated = times[1];
  seconds = times[2];
  first_seconds = times[3];
  regret = times[4];
  worst_regret = times[5];
  const std::vector<std::uint64_t> counts = get<std::uint64_t>(reader, at + "counts", 5);
  measured = counts[0];
  timed_out = counts[1];
  out_of_memory = counts[2];
  screened = counts[3];
  adopted = counts[4];
}

}  // namespace berth::launcher

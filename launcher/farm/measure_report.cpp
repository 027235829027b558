// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "measure_report.hpp"

#include <algorithm>

#include <boost/serialization/string.hpp>
#include <boost/serialization/tracking.hpp>
#include <boost/serialization/vector.hpp>

#include "archive.hpp"

BOOST_CLASS_TRACKING(berth::launcher::MeasuredRollout, boost::serialization::track_never)
BOOST_CLASS_TRACKING(berth::launcher::MeasuredProblem, boost::serialization::track_never)
BOOST_CLASS_TRACKING(berth::launcher::MeasureReport, boost::serialization::track_never)

namespace berth::launcher {

std::string encode(const MeasureReport& report) {
  return to_bytes(report);
}

MeasureReport decode_measurements(const std::string& bytes) {
  return from_bytes<MeasureReport>(bytes);
}

double median_of(std::vector<double> values) {
  if (values.empty()) {
    return 0.0;
  }
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace berth::launcher

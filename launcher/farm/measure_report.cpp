// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "measure_report.hpp"

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

}  // namespace berth::launcher

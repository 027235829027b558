// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "rank_report.hpp"

#include <boost/serialization/string.hpp>
#include <boost/serialization/tracking.hpp>
#include <boost/serialization/vector.hpp>

#include "archive.hpp"

BOOST_CLASS_TRACKING(berth::launcher::RolloutReport, boost::serialization::track_never)
BOOST_CLASS_TRACKING(berth::Placement, boost::serialization::track_never)
BOOST_CLASS_TRACKING(berth::launcher::Candidate, boost::serialization::track_never)
BOOST_CLASS_TRACKING(berth::launcher::RankReport, boost::serialization::track_never)

namespace berth::launcher {

std::string encode(const RankReport& report) {
  return to_bytes(report);
}

RankReport decode_report(const std::string& bytes) {
  return from_bytes<RankReport>(bytes);
}

}  // namespace berth::launcher

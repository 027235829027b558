// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "slot_messages.hpp"

#include <boost/serialization/string.hpp>
#include <boost/serialization/tracking.hpp>
#include <boost/serialization/vector.hpp>

#include "farm/archive.hpp"

BOOST_CLASS_TRACKING(berth::launcher::CopyOrder, boost::serialization::track_never)
BOOST_CLASS_TRACKING(berth::launcher::SlotOrders, boost::serialization::track_never)
BOOST_CLASS_TRACKING(berth::launcher::CopyReport, boost::serialization::track_never)

namespace berth::launcher {

std::string encode(const SlotOrders& orders) {
  return to_bytes(orders);
}

std::string encode(const CopyReport& report) {
  return to_bytes(report);
}

SlotOrders decode_orders(const std::string& bytes) {
  return from_bytes<SlotOrders>(bytes);
}

CopyReport decode_copy_report(const std::string& bytes) {
  return from_bytes<CopyReport>(bytes);
}

}  // namespace berth::launcher

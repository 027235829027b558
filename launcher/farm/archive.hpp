// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sstream>
#include <string>

#include <boost/archive/archive_exception.hpp>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>

#include "berth/error.hpp"

namespace berth::launcher {

/// A serializable struct as bytes for the other ranks of this job, which run this very executable.
template <class Value>
[[nodiscard]] std::string to_bytes(const Value& value) {
  std::ostringstream out(std::ios::binary);
  boost::archive::binary_oarchive archive(out, boost::archive::no_header);
  archive << value;
  return std::move(out).str();
}

/// @throws InternalError if `bytes` does not hold a Value.
template <class Value>
[[nodiscard]] Value from_bytes(const std::string& bytes) {
  Value value;
  try {
    std::istringstream in(bytes, std::ios::binary);
    boost::archive::binary_iarchive archive(in, boost::archive::no_header);
    archive >> value;
  } catch (const boost::archive::archive_exception& error) {
    throw InternalError(std::string("message from another rank: ") + error.what());
  }
  return value;
}

}  // namespace berth::launcher

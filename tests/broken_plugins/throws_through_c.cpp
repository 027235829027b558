// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// A create() written by hand that lets an exception out through the C boundary.

#include <stdexcept>

#include "raw_descriptor.hpp"

BERTH_RAW_PLUGIN(descriptor.create =
                     [](const char*, const char*, const void*, void**, berth_status*)
                     -> std::int32_t { throw std::runtime_error("let out"); })

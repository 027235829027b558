// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Offers nothing.

#include "raw_descriptor.hpp"

BERTH_RAW_PLUGIN(descriptor.offer_count = 0)

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Built for a plugin ABI of the past.

#include "raw_descriptor.hpp"

BERTH_RAW_PLUGIN(descriptor.abi_major = 0)

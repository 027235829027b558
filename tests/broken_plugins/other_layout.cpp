// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Built by the same compiler from types laid out differently.

#include "raw_descriptor.hpp"

BERTH_RAW_PLUGIN(descriptor.layout_hash ^= 1)

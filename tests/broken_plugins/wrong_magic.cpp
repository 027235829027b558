// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// A symbol of the right name that is something else.

#include "raw_descriptor.hpp"

BERTH_RAW_PLUGIN(descriptor.magic = 42)

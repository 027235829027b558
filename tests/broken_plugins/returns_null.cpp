// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// create() reports success and gives nothing.

#include "raw_descriptor.hpp"

BERTH_RAW_PLUGIN(static_cast<void>(descriptor))

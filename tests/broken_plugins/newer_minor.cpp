// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Built for a later revision of the ABI, with fields that this host does not know.

#include "raw_descriptor.hpp"

BERTH_RAW_PLUGIN(descriptor.abi_minor = BERTH_ABI_MINOR + 1)

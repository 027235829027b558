// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Claims the ABI but ends before its last field.

#include "raw_descriptor.hpp"

BERTH_RAW_PLUGIN(descriptor.struct_size = 40)

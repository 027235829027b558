// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Built by a compiler whose std::string is another type.

#include "raw_descriptor.hpp"

BERTH_RAW_PLUGIN(descriptor.toolchain = "gcc 4 abi 1002 cxx11 0 std 201103L ptr 8")

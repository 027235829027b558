// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/plugin_abi.h"

namespace berth::doppler {

// Rows of an option table.

constexpr berth_option_spec integer(
    const char* name, const char* value, double least, double most, const char* help) {
  return {name, BERTH_OPTION_INTEGER, value, least, most, "", "", help};
}
constexpr berth_option_spec real(
    const char* name, const char* value, double least, double most, const char* help) {
  return {name, BERTH_OPTION_REAL, value, least, most, "", "", help};
}
constexpr berth_option_spec choice(const char* name,
                                   const char* value,
                                   const char* choices,
                                   const char* help) {
  return {name, BERTH_OPTION_CHOICE, value, 0, 0, "", choices, help};
}

}  // namespace berth::doppler

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <exception>
#include <string>

#include <gtest/gtest.h>

namespace berth::testing {

/// The text of the error that `call` throws, which must be an `Expected`, of one line.
template <class Expected, class Call>
std::string error_text(Call&& call) {
  try {
    call();
  } catch (const Expected& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "more than one line";
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "an error of another category: " << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace berth::testing

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// A library that knows nothing of Berth.
extern "C" __attribute__((visibility("default"))) int answer() {
  return 42;
}

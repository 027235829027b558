// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace berth::doppler {

/// Flushes denormal floats to zero on this thread while it lives: drifted weights ran three times
/// slower without.
class FlushDenormals {
 public:
#if defined(__SSE__)
  FlushDenormals() : before_(_mm_getcsr()) {
    _mm_setcsr(before_ | kFlushAndZero);
  }
  ~FlushDenormals() {
    _mm_setcsr(before_);
  }
#else
  FlushDenormals() = default;
  ~FlushDenormals() = default;
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

#if defined(__SSE__)
 private:
  static constexpr unsigned kFlushAndZero = 0x8040U;
  unsigned before_;
#endif
};

}  // namespace berth::doppler

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "host_cores.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <fstream>
#include <string>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace berth::executors {

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) {
        cores.push_back(core);
      }
    }
  }
  return cores.empty() ? std::vector<int>{0} : cores;
}

void settle_thread(const std::vector<int>& cores) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) {
    CPU_SET(core, &set);
  }
  sched_setaffinity(0, sizeof set, &set);
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
#if defined(__SSE__)
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kDenormalsAreZero = 0x0040;
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
#endif
}

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes >> unit) {
    if (key == "MemAvailable:") {
      return kibibytes * 1024;
    }
    file.ignore(256, '\n');
  }
  return 0;
}

}  // namespace berth::executors

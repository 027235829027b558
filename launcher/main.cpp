// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <climits>
#include <cstdio>
#include <string>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "command.hpp"
#include "interruption.hpp"

namespace {

/// Arrays of a megabyte and more come and go at every step of a network over a large graph. By
/// default each is mapped anew and cleared by the kernel page by page: a quarter of the time of a
/// rollout of 100,000 ops.
void keep_freed_memory() {
#if defined(__GLIBC__)
  constexpr int kLargestKept = 1 << 30;  // bytes
  mallopt(M_MMAP_THRESHOLD, kLargestKept);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  // Where both streams go to one file, their lines stay in the order in which they were written.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  berth::launcher::end_on_interruption();
  const std::vector<std::string> words(argv + 1, argv + argc);
  return berth::launcher::run_command_line(words);
}

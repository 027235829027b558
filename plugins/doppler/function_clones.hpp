// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// In front of a function: compiled for AVX-512, AVX2 and the baseline; the machine's best one is
/// chosen when the library is loaded. Not under AddressSanitizer, whose start-up the choice
/// precedes.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BERTH_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BERTH_CLONES
#endif

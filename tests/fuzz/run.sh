#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Berth authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/fuzz/run.sh [SECONDS per target, default 10] [TARGET...]
# Builds the libFuzzer targets with clang, AddressSanitizer and UndefinedBehaviorSanitizer in
# build-fuzz/ and runs each from a few valid inputs. Inputs that were found stay in
# build-fuzz/corpus/ and are used again; a crash leaves its input in build-fuzz/crashes/.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-10}
shift || true
cxx=$(command -v clang++ || command -v clang++-14 || true)
[ -n "$cxx" ] || { echo "run.sh: no clang++; install clang (it brings libFuzzer)" >&2; exit 2; }
cc=$(command -v clang || command -v clang-14)

cmake -S . -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_BUILD_TYPE=None -DBERTH_FUZZ=ON -DBERTH_TESTS=OFF -DBERTH_WITH_TORCH=OFF \
  -DBERTH_WITH_MPI=OFF > build-fuzz.log 2>&1 || { cat build-fuzz.log >&2; exit 1; }
rm -f build-fuzz.log
cmake --build build-fuzz --target fuzz
build-fuzz/bin/fuzz_seeds build-fuzz/seeds
mkdir -p build-fuzz/crashes

targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(berth doppler stg dot hetero fajsp jobshop msr-fiddle wfformat
                                     topology placement)
failed=0
for target in "${targets[@]}"; do
  mkdir -p "build-fuzz/corpus/$target"
  if "build-fuzz/bin/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=4096 -print_final_stats=1 -artifact_prefix="build-fuzz/crashes/$target-" \
    "build-fuzz/corpus/$target" "build-fuzz/seeds/$target" > "build-fuzz/$target.log" 2>&1; then
    echo "$target: $(grep -o 'number_of_executed_units: *[0-9]*' "build-fuzz/$target.log" |
      grep -o '[0-9]*') inputs, no failure"
  else
    echo "$target: FAILED, see build-fuzz/$target.log and build-fuzz/crashes/" >&2
    failed=1
  fi
done
exit $failed

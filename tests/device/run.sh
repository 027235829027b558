#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Berth authors
# SPDX-License-Identifier: Apache-2.0
#
# All checks that need a GPU, in one call of less than ten minutes; a table of them comes last.
# Needs nvcc and cuBLAS of CUDA 12 or 13, NCCL for ranks on two GPUs, and a g++ that nvcc takes; no
# MPI, LibTorch, Boost, CMake or BLAS.
#   tests/device/run.sh               builds what is missing, runs everything
#   tests/device/run.sh --build-only  builds into build-device/, which can be carried to a machine
#                                     with a GPU and without nvcc; needs no GPU
#   tests/device/run.sh --dry-run     says what would be built and run; needs neither
#   tests/device/run.sh --small       kernels and one placement a workload
# Environment: CUDA_ARCHITECTURES, default that of the GPU here, or "80 90" without one; JOBS.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

mode=all
case "${1:-}" in
  "") ;;
  --build-only | --dry-run | --small) mode=${1#--} ;;
  --help) sed -n '5,14s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "run.sh: unknown option '$1'; see tests/device/run.sh --help" >&2; exit 2 ;;
esac

out=build-device
executors=plugins/executors
sources=(
  kernel/src/{base,config,cost,graph,policy,simulator,topology}/*.cpp
  datasets/workloads/*.cpp datasets/source_text.cpp
  launcher/calibration/*.cpp launcher/execute_rounds.cpp
  $executors/core/*.cpp
  $executors/cpu/{blas,cpu_executor,host_cores,kernels,work_kernel,worker_pool}.cpp
  $executors/cuda/{cuda_capture,cuda_device,cuda_driver,rank_devices,ring_link}.cpp
  tests/device/*.cpp
)
kernels=$executors/cuda/cuda_kernels.cu

# The toolkit lies above nvcc's folder.
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
toolkit=$(dirname "$(dirname "$(readlink -f "${nvcc:-/usr/local/cuda/bin/nvcc}")")")
includes=(-I. -Ikernel/include -Idatasets -Ilauncher -I$executors -I$executors/cpu -isystem "$toolkit/include" -isystem "$toolkit/targets/x86_64-linux/include")
libraries=()
for folder in lib64 lib targets/x86_64-linux/lib; do
  [[ -d $toolkit/$folder ]] && libraries+=(-L "$toolkit/$folder" "-Wl,-rpath,$toolkit/$folder")
done

# Ranks on GPUs of their own need NCCL.
nccl=()
if [[ -n $(ls "$toolkit"/{include,targets/x86_64-linux/include}/nccl.h /usr/include/nccl.h 2>/dev/null) ]]; then
  nccl=(-lnccl)
  sources+=($executors/cuda/nccl_link.cpp)
else
  sources+=($executors/cuda/nccl_absent.cpp)
fi

architectures() {
  local found=${CUDA_ARCHITECTURES:-}
  [[ -n $found ]] || found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    sort -u | tr -d '.' | grep -E '^[0-9]+$' || true)
  for arch in ${found:-80 90}; do
    printf -- '-gencode arch=compute_%s,code=[sm_%s,compute_%s] ' "$arch" "$arch" "$arch"
  done
}

compile() { # compile SOURCE
  local object
  object=$out/$(tr '/' '-' <<<"${1%.*}").o
  [[ $object -nt $1 && -z ${stale:-} ]] && return
  if [[ $1 == *.cu ]]; then
    # shellcheck disable=SC2046
    "$nvcc" -c -std=c++17 -O3 $(architectures) "${includes[@]}" -o "$object" "$1"
  else
    g++ -c -std=c++20 -O3 -fno-math-errno -DNDEBUG "${includes[@]}" -o "$object" "$1"
  fi
}

build() {
  [[ -n $nvcc ]] || { echo "run.sh: no nvcc and no $out/device_check; expected one of them" >&2; exit 3; }
  mkdir -p "$out"
  local stale=
  if [[ -e $out/device_check ]]; then # a header that changed makes everything stale
    stale=$(find kernel/include $executors launcher datasets tests/device -name '*.hpp' -newer "$out/device_check" | head -n 1)
  fi
  export -f compile architectures
  export out executors nvcc stale
  local includes_text="${includes[*]}"
  export includes_text
  printf '%s\0' "$kernels" "${sources[@]}" |
    xargs -0 -n 1 -P "${JOBS:-$(nproc)}" bash -c 'set -euo pipefail; read -ra includes <<<"$includes_text"; compile "$1"' _
  local objects=()
  for source in "$kernels" "${sources[@]}"; do
    objects+=("$out/$(tr '/' '-' <<<"${source%.*}").o")
  done
  g++ -o "$out/device_check" "${objects[@]}" "${libraries[@]}" -lcublas "${nccl[@]}" -lcudart_static -ldl -lrt -lpthread
}

is_fresh() { # the program is newer than all sources, or there is nothing to build it with
  [[ -x $out/device_check ]] || return 1
  [[ -n $nvcc ]] || return 0
  [[ -z $(find "${sources[@]}" $kernels kernel/include $executors launcher/calibration tests/device \
    \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' \) -newer "$out/device_check" | head -n 1) ]]
}

if [[ $mode == dry-run ]]; then
  echo "nvcc: ${nvcc:-none} ($toolkit); $(architectures)"
  echo "to build: $kernels and ${#sources[@]} C++ sources into $out/device_check$(is_fresh && echo ' (is fresh)')"
  echo "to run: $out/device_check; then under compute-sanitizer: $out/device_check --small"
  for tool in compute-sanitizer mpirun build/bin/berth; do
    echo "$tool: $(command -v "$tool" || echo none)"
  done
  exit 0
fi

is_fresh || build
[[ $mode == build-only ]] && exit 0

# Streams that share a hardware queue wait for each other; the default is 8.
export CUDA_DEVICE_MAX_CONNECTIONS=32
failed=0
if [[ $mode == small ]]; then
  "$out/device_check" --small
  exit
fi
"$out/device_check" | tee "$out/device_check.txt" || failed=${PIPESTATUS[0]}
((failed != 3)) || exit 3

timeout 120 "$out/device_check" --ranks | tee "$out/ranks.txt" || failed=1

sanitized="not run: no compute-sanitizer here"
if command -v compute-sanitizer >/dev/null; then
  if timeout 150 compute-sanitizer --tool memcheck --error-exitcode 9 "$out/device_check" --small \
    >"$out/memcheck.txt" 2>&1; then
    sanitized="memcheck clean"
  else
    sanitized="memcheck FAILED or took longer than 150 s (see $out/memcheck.txt)"
    failed=1
  fi
fi
campaign="not run: needs build/bin/berth with MPI and LibTorch"
if [[ -x build/bin/berth ]] && build/bin/berth train --help >/dev/null 2>&1; then
  if timeout 120 build/bin/berth train tests/device/campaign.toml --out "$out/run" >"$out/train.txt" 2>&1; then
    campaign="ok: $(grep '^measured on' "$out/train.txt" | head -n 1)"
  else
    campaign="FAILED (see $out/train.txt)"
    failed=1
  fi
fi
sed -n '/^$/,$p' "$out/device_check.txt"
cat "$out/ranks.txt"
printf '%-6s %-34s %s\n' "" compute-sanitizer "$sanitized" "" "berth train, stage III" "$campaign"
exit "$failed"

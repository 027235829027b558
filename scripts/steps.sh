#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Berth authors
# SPDX-License-Identifier: Apache-2.0
#
# What ./quickstart and ./check share; to be sourced.

# step TEXT: announces a part of the work with the time since the start.
step() { printf '\n== [%3ds] %s\n' "$SECONDS" "$1"; }

# fail TEXT: ends the script with one line.
fail() {
  printf '\n%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 1
}

# configure DIR OPTIONS...: quiet unless it fails; CMake's message then shows what is missing.
configure() {
  local dir=$1
  shift
  local log
  log=$(mktemp)
  if ! cmake -G Ninja -S . -B "$dir" "$@" >"$log" 2>&1; then
    tail -n 25 "$log" >&2
    fail "configuring $dir failed"
  fi
  rm -f "$log"
}

# build DIR TARGETS...: Ninja's own progress line.
build() {
  local dir=$1
  shift
  NINJA_STATUS="[%f/%t, %es] " ninja -C "$dir" "$@" || fail "building $dir failed"
}

# Lets mpirun work as root, in containers, and with more ranks than cores.
mpi_environment() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1
}

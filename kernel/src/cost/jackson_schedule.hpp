// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

namespace berth::internal {

/// A job of one resource: it cannot start before `head`, needs `time` of the resource, and `tail`
/// passes after its end before everything is over.
struct HeadTailJob {
  double head;
  double time;
  double tail;
};

/// Least makespan of the jobs on a resource that does `rate` units of time per unit and may split
/// and interrupt jobs: the largest over all subsets S of
/// least head of S + time of S / rate + least tail of S, which no schedule of S on `rate` machines
/// beats. Jackson's preemptive schedule: always the released job with the longest tail (Carlier,
/// EJOR 11, 1982). Integers stay exact up to the final division. Cost O(jobs log jobs).
[[nodiscard]] double jackson_bound(std::vector<HeadTailJob> jobs, double rate);

}  // namespace berth::internal

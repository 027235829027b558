// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "tree_sum.hpp"

#include <algorithm>
#include <bit>

namespace berth::launcher {

TreeSum::TreeSum(MpiSession& session, const WorkDivision& division, std::size_t values)
    : session_(&session),
      division_(division),
      own_(division.groups_of(session.rank(), session.size())),
      total_(values),
      scratch_(static_cast<std::size_t>(std::bit_width(division.groups())) + 1,
               std::vector<float>(values)) {}

std::span<const float> TreeSum::operator()(const Leaf& leaf) {
  sum({0, division_.groups()}, 0, leaf, total_);
  session_->broadcast(total_, "sum of gradients");
  return total_;
}

void TreeSum::sum(Range groups, std::size_t depth, const Leaf& leaf, std::vector<float>& out) {
  if (groups.end <= own_.begin || groups.begin >= own_.end) {
    return;
  }
  if (groups.size() == 1) {
    std::ranges::fill(out, 0.0F);
    leaf(groups.begin, out);
    return;
  }
  const std::uint64_t middle = (groups.begin + groups.end) / 2;
  const int left = division_.owner_of(groups.begin, session_->size());
  const int right = division_.owner_of(middle, session_->size());
  std::vector<float>& other = scratch_[depth];
  sum({groups.begin, middle}, depth + 1, leaf, out);
  // A rank that begins in the right half has no use for `out` here and gives its part away.
  sum({middle, groups.end}, depth + 1, leaf, other);
  if (left != right && session_->rank() == right) {
    session_->send(other, left, "sum of gradients");
  }
  if (session_->rank() == left) {
    if (left != right) {
      session_->receive(other, right, "sum of gradients");
    }
    std::ranges::transform(out, other, out.begin(), [](float a, float b) { return a + b; });
  }
}

}  // namespace berth::launcher

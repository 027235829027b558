// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "page_parts.hpp"

#include <cmath>

#include "table.hpp"

namespace berth::launcher {

std::string escaped_html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// The golden angle.
std::string job_colour(JobId job) {
  const double hue = std::fmod(static_cast<double>(index(job)) * 137.508, 360.0);
  return "hsl(" + fixed(hue, 0) + ",65%," + (index(job) % 2 == 0 ? "45%" : "62%") + ")";
}

}  // namespace berth::launcher

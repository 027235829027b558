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

std::string table_html(const std::vector<std::vector<std::string>>& rows) {
  std::string html = "<table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    html += "<tr>";
    for (const std::string& text : rows[r]) {
      html += (r == 0 ? "<th>" : "<td>") + escaped_html(text) + (r == 0 ? "</th>" : "</td>");
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

// The golden angle.
std::string job_colour(JobId job) {
  const double hue = std::fmod(static_cast<double>(index(job)) * 137.508, 360.0);
  return "hsl(" + fixed(hue, 0) + ",65%," + (index(job) % 2 == 0 ? "45%" : "62%") + ")";
}

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_bench/section_report.hpp"

#include "datasets/atomic_file.hpp"
#include "doppler_bench/svg_chart.hpp"
#include "page_parts.hpp"
#include "table.hpp"

namespace berth::launcher {

void write_section_page(std::span<const Section> sections, const std::string& file) {
  std::string html =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>berth bench "
      "doppler</title>\n<style>body{font:14px sans-serif;margin:2em;max-width:75em}"
      "table{border-collapse:collapse;margin:.5em 0 1.5em}td,th{padding:.2em .7em;border:1px solid "
      "#ccc;text-align:right}td:first-child,th:first-child{text-align:left}svg{max-width:100%}"
      "</style>\n<h1>berth bench doppler</h1>\n";
  for (const Section& section : sections) {
    html += "<h2>" + escaped_html(section.title()) + "</h2>\n";
    for (const std::string& note : section.notes()) {
      html += "<p>" + escaped_html(note) + "</p>\n";
    }
    for (const auto& [title, rows] : section.tables()) {
      html += "<h3>" + escaped_html(title) + "</h3>\n" + table_html(rows);
    }
    for (const Chart& chart : section.charts) {
      html += svg_chart(chart);
    }
  }
  datasets::write_atomically(file, html + "</html>\n");
}

}  // namespace berth::launcher

// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_bench/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "page_parts.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

constexpr double kChartWidth = 860.0;
constexpr double kChartHeight = 380.0;
constexpr double kChartLeft = 70.0;
constexpr double kRight = 230.0;
constexpr double kChartTop = 34.0;
constexpr double kBottom = 50.0;
// Of Okabe and Ito (2008), told apart by all.
constexpr std::array kColours = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933"};

struct AxisRange {
  double least = INFINITY;
  double most = -INFINITY;

  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  [[nodiscard]] double share(double value) const {
    return most > least ? (value - least) / (most - least) : 0.5;
  }
};

/// A round distance of ticks, so that there are about five.
double tick_distance(const AxisRange& range) {
  const double raw = (range.most - range.least) / 5.0;
  if (!(raw > 0.0)) {
    return 1.0;
  }
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power) {
      return factor * power;
    }
  }
  return 10.0 * power;
}

std::string at(double value) {
  return fixed(value, 1);
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\">" +
         escaped_html(text) + "</text>\n";
}

std::string line(double x0, double y0, double x1, double y1, const char* colour) {
  return "<line x1=\"" + at(x0) + "\" y1=\"" + at(y0) + "\" x2=\"" + at(x1) + "\" y2=\"" + at(y1) +
         "\" stroke=\"" + colour + "\"/>\n";
}

double x_of(const AxisRange& range, double value) {
  return kChartLeft + range.share(value) * (kChartWidth - kChartLeft - kRight);
}

double y_of(const AxisRange& range, double value) {
  return kChartHeight - kBottom - range.share(value) * (kChartHeight - kChartTop - kBottom);
}

std::string axes(const Chart& chart, const AxisRange& x, const AxisRange& y) {
  std::string svg;
  const double dx = tick_distance(x);
  for (double tick = std::ceil(x.least / dx) * dx; tick <= x.most; tick += dx) {
    svg += line(x_of(x, tick), kChartTop, x_of(x, tick), kChartHeight - kBottom, "#ddd") +
           label(x_of(x, tick), kChartHeight - kBottom + 16, "middle", significant(tick));
  }
  const double dy = tick_distance(y);
  for (double tick = std::ceil(y.least / dy) * dy; tick <= y.most; tick += dy) {
    svg += line(kChartLeft, y_of(y, tick), kChartWidth - kRight, y_of(y, tick), "#ddd") +
           label(kChartLeft - 6, y_of(y, tick) + 4, "end", significant(tick));
  }
  return svg +
         label(
             (kChartLeft + kChartWidth - kRight) / 2, kChartHeight - 12, "middle", chart.x_label) +
         label(kChartLeft, 28, "start", chart.y_label);
}

}  // namespace

std::string svg_chart(const Chart& chart) {
  AxisRange x;
  AxisRange y;
  const auto shown = [](const std::pair<double, double>& point) {
    return std::isfinite(point.first) && std::isfinite(point.second);
  };
  for (const Curve& curve : chart.curves) {
    for (const auto& point : curve.points) {
      if (shown(point)) {
        x.add(point.first);
        y.add(point.second);
      }
    }
  }
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + at(kChartWidth) +
                    " " + at(kChartHeight) +
                    "\" font-family=\"sans-serif\" font-size=\"12\" width=\"" + at(kChartWidth) +
                    "\">\n" + label(kChartLeft, 14, "start", chart.title);
  if (x.least > x.most) {
    return svg + label(kChartLeft, kChartHeight / 2, "start", "no points") + "</svg>\n";
  }
  svg += axes(chart, x, y);
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const char* colour = kColours[i % kColours.size()];
    std::string points;
    for (const auto& point : chart.curves[i].points) {
      if (shown(point)) {
        points += at(x_of(x, point.first)) + "," + at(y_of(y, point.second)) + " ";
      }
    }
    svg += "<polyline fill=\"none\" stroke-width=\"1.6\" stroke=\"" + std::string(colour) +
           "\" points=\"" + points + "\"/>\n";
    const double row = kChartTop + 18.0 * static_cast<double>(i) + 8.0;
    svg += line(kChartWidth - kRight + 14, row, kChartWidth - kRight + 38, row, colour) +
           label(kChartWidth - kRight + 44, row + 4, "start", chart.curves[i].name);
  }
  return svg + "</svg>\n";
}

}  // namespace berth::launcher

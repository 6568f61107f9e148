#pragma once

#include <string>
#include <utility>
#include <vector>

/// One axis of a plot: the values it spans, and which are marked.
struct Axis {
  double low, high;
  bool logarithmic = false;
  std::string label;
  std::vector<std::pair<double, std::string>> ticks;

  /// Where a value lies: 0 at the low end, 1 at the high end.
  double place(double value) const;
};

/// An axis from low to high with about `count` ticks at 1, 2 or 5 times a power of ten.
Axis linear_axis(double low, double high, int count, std::string label);
/// A logarithmic axis around [low, high], 0 < low <= high, with ticks at 1, 2 and 5 times powers of ten.
Axis logarithmic_axis(double low, double high, std::string label);

/// The width of a drawing in its own pixels: for a page as wide as text is, and for a telephone's. Both are in the
/// page, and its style shows one, so that text has its size on either.
enum class Width { wide, narrow };

/// An <svg> of width x height, with `title` for those who cannot see it.
std::string svg_of(Width kind, double width, double height, const std::string& title, const std::string& content);

/// The area of a plot in an SVG of 640 x 300 or 360 x 260, and what is drawn around it.
struct PlotFrame {
  static constexpr double left = 58, right = 16, top = 18, bottom = 46;

  Axis x, y;
  Width kind = Width::wide;
  double width = kind == Width::wide ? 640 : 360, height = kind == Width::wide ? 300 : 260;
  double at_x(double value) const { return left + x.place(value) * (width - left - right); }
  double at_y(double value) const { return height - bottom - y.place(value) * (height - top - bottom); }

  /// Grid lines, tick labels and axis labels.
  std::string axes() const;
  /// "M x y L x y ..." through points; those that are not finite break the line.
  std::string path(const std::vector<std::pair<double, double>>& points) const;
  /// The whole <svg>.
  std::string svg(const std::string& title, const std::string& content) const;
};

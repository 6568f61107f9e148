#include "svg_axes.hpp"

#include <algorithm>
#include <cmath>

#include "text.hpp"

namespace {

std::string text_at(double x, double y, const std::string& anchor, const std::string& text) {
  return "<text x='" + fixed(x, 1) + "' y='" + fixed(y, 1) + "' text-anchor='" + anchor + "'>" + escaped(text) +
         "</text>";
}

std::string line(double x1, double y1, double x2, double y2) {
  return "<line class='grid' x1='" + fixed(x1, 1) + "' y1='" + fixed(y1, 1) + "' x2='" + fixed(x2, 1) + "' y2='" +
         fixed(y2, 1) + "'/>";
}

/// 0.02, 0.5, 2, 1500: as many decimals as a step of this size needs.
std::string tick_text(double value, double step) {
  return fixed(value, std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9))));
}

/// The number 1, 2 or 5 times a power of ten that is at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

std::string svg_of(Width kind, double width, double height, const std::string& title, const std::string& content) {
  return "<svg class='" + std::string(kind == Width::wide ? "wide" : "narrow") +
         "' role='img' font-size='13' viewBox='0 0 " + fixed(width, 0) + " " + fixed(height, 0) + "'><title>" +
         escaped(title) + "</title>" + content + "</svg>\n";
}

double Axis::place(double value) const {
  if (logarithmic) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

Axis linear_axis(double low, double high, int count, std::string label) {
  Axis axis{low, high, false, std::move(label), {}};
  const double step = round_step((high - low) / count);
  const auto first = static_cast<int64_t>(std::ceil(low / step - 1e-9)),
             last = static_cast<int64_t>(std::floor(high / step + 1e-9));
  for (int64_t i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    axis.ticks.emplace_back(value, tick_text(value, step));
  }
  return axis;
}

Axis logarithmic_axis(double low, double high, std::string label) {
  Axis axis{low / 1.1, high * 1.1, true, std::move(label), {}};
  const bool crowded = high / low > 1e3;
  for (double power = std::pow(10, std::floor(std::log10(axis.low))); power <= axis.high; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * power;
      if (value < axis.low || value > axis.high || (crowded && factor > 1)) continue;
      axis.ticks.emplace_back(value, tick_text(value, power));
    }
  return axis;
}

std::string PlotFrame::axes() const {
  std::string out;
  for (const auto& [value, text] : y.ticks)
    out += line(left, at_y(value), width - right, at_y(value)) + text_at(left - 8, at_y(value) + 4.5, "end", text);
  for (const auto& [value, text] : x.ticks)
    out += line(at_x(value), height - bottom, at_x(value), height - bottom + 5) +
           text_at(at_x(value), height - bottom + 19, "middle", text);
  out += "<line class='axis' x1='" + fixed(left, 0) + "' x2='" + fixed(width - right, 0) + "' y1='" +
         fixed(height - bottom, 0) + "' y2='" + fixed(height - bottom, 0) + "'/>";
  out += text_at((left + width - right) / 2, height - 6, "middle", x.label);
  const double middle = (top + height - bottom) / 2;
  return out + "<g transform='rotate(-90 13 " + fixed(middle, 1) + ")'>" + text_at(13, middle, "middle", y.label) +
         "</g>";
}

std::string PlotFrame::path(const std::vector<std::pair<double, double>>& points) const {
  std::string out;
  bool pen_down = false;
  for (const auto& [px, py] : points) {
    const double sx = at_x(px), sy = at_y(py);
    const bool drawn = std::isfinite(sx) && std::isfinite(sy);
    if (drawn) out += (pen_down ? "L" : "M") + fixed(sx, 1) + " " + fixed(sy, 1);
    pen_down = drawn;
  }
  return out;
}

std::string PlotFrame::svg(const std::string& title, const std::string& content) const {
  return svg_of(kind, width, height, title, axes() + content);
}

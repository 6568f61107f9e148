#include "svg_plot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "svg_axes.hpp"
#include "text.hpp"

namespace {

using Points = std::vector<std::pair<double, double>>;

Points raw_points(const std::vector<float>& losses) {
  Points points;
  for (size_t i = 0; i < losses.size(); ++i) points.emplace_back(static_cast<double>(i + 1), losses[i]);
  return points;
}

/// A running mean whose memory grows to a fortieth of the run: early steps fall fast and must not be smeared.
Points smoothed(const Points& points) {
  Points out;
  const double memory = std::max(5.0, static_cast<double>(points.size()) / 40);
  double mean = 0, seen = 0;
  for (const auto& [step, loss] : points) {
    if (!std::isfinite(loss)) continue;
    seen += 1;
    mean += (loss - mean) / std::min(seen < 5 ? seen : 3 + seen / 3, memory);
    out.emplace_back(step, mean);
  }
  return out;
}

/// The smallest and largest positive loss; 0.1 and 1 when there is none.
std::pair<double, double> range_of(const Points& points) {
  double low = 0, high = 0;
  for (const auto& [step, loss] : points) {
    if (!std::isfinite(loss) || loss <= 0) continue;
    low = low == 0 ? loss : std::min(low, loss);
    high = std::max(high, loss);
  }
  return high == 0 ? std::pair(0.1, 1.0) : std::pair(low, high);
}

std::string epoch_marks(const PlotFrame& frame, size_t steps, int64_t steps_per_epoch) {
  std::string out;
  const int64_t epochs = static_cast<int64_t>(steps) / std::max<int64_t>(steps_per_epoch, 1);
  for (int64_t epoch = 1; epoch <= epochs && epochs <= 50; ++epoch) {
    const std::string x = fixed(frame.at_x(static_cast<double>(epoch * steps_per_epoch)), 1);
    out += "<line class='epoch' x1='" + x + "' x2='" + x + "' y1='" + fixed(PlotFrame::top, 0) + "' y2='" +
           fixed(frame.height - PlotFrame::bottom, 0) + "'/>";
  }
  return out;
}

std::string loss_drawing(const std::vector<float>& losses, int64_t steps_per_epoch, Width kind) {
  const Points points = raw_points(losses);
  const auto [low, high] = range_of(points);
  const auto steps = static_cast<double>(std::max<size_t>(losses.size(), 10));
  const PlotFrame frame{linear_axis(0, steps, kind == Width::wide ? 8 : 4, "step"),
                        logarithmic_axis(low, high, "loss, logarithmic"), kind};
  return frame.svg("The training loss falls over the steps",
                   epoch_marks(frame, losses.size(), steps_per_epoch) + "<path class='raw' d='" + frame.path(points) +
                       "'/><path class='smooth' d='" + frame.path(smoothed(points)) + "'/>");
}

/// The frame of points (epoch, percent), with room for a text above the highest and below the lowest.
PlotFrame accuracy_frame(const Points& points, double least, double most, Width kind) {
  const double room = std::max(1.0, (most - least) / 4);
  PlotFrame frame{linear_axis(0.5, static_cast<double>(points.size()) + 0.5, kind == Width::wide ? 10 : 6, "epoch"),
                  linear_axis(std::max(0.0, least - room), std::min(100.0, most + room), 5, "right, %"), kind};
  std::erase_if(frame.x.ticks, [](const auto& tick) { return tick.first != std::round(tick.first) || tick.first < 1; });
  for (auto& [value, text] : frame.x.ticks) text = fixed(value, 0);
  return frame;
}

/// Whether a point lies below its neighbours, taken together: its text stands below it, where the line is not.
bool is_low(const Points& points, size_t i) {
  const double here = points[i].second;
  const double before = i > 0 ? points[i - 1].second - here : 0;
  const double after = i + 1 < points.size() ? points[i + 1].second - here : 0;
  return before + after > 0;
}

/// The points, and the percentage of each where there is room for it, else of the last.
std::string accuracy_marks(const PlotFrame& frame, const Points& points) {
  constexpr double text_width = 44;
  const bool all = text_width * static_cast<double>(points.size()) < frame.width - PlotFrame::left - PlotFrame::right;
  std::string marks;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto& [epoch, percent] = points[i];
    const double x = frame.at_x(epoch), y = frame.at_y(percent);
    marks += "<circle class='dot' cx='" + fixed(x, 1) + "' cy='" + fixed(y, 1) + "' r='4'/>";
    if (!all && i + 1 != points.size()) continue;
    const double middle = std::min(x, frame.width - text_width / 2);
    marks += "<text class='value' x='" + fixed(middle, 1) + "' y='" + fixed(is_low(points, i) ? y + 20 : y - 10, 1) +
             "' text-anchor='middle'>" + fixed(percent, 2) + "</text>";
  }
  return marks;
}

std::string in_card(const std::string& drawings) { return "<div class='card'>" + drawings + "</div>\n"; }

}  // namespace

std::string loss_plot(const std::vector<float>& losses, int64_t steps_per_epoch) {
  return in_card(loss_drawing(losses, steps_per_epoch, Width::wide) +
                 loss_drawing(losses, steps_per_epoch, Width::narrow));
}

std::string accuracy_plot(const std::vector<double>& accuracies) {
  Points points;
  for (const double accuracy : accuracies) points.emplace_back(static_cast<double>(points.size() + 1), 100 * accuracy);
  const auto [least, most] = std::minmax_element(accuracies.begin(), accuracies.end());
  std::string drawings;
  for (const Width kind : {Width::wide, Width::narrow}) {
    const PlotFrame frame = accuracy_frame(points, 100 * *least, 100 * *most, kind);
    drawings += frame.svg("The accuracy on the test images after each epoch",
                          "<path class='smooth' d='" + frame.path(points) + "'/>" + accuracy_marks(frame, points));
  }
  return in_card(drawings);
}

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
           fixed(PlotFrame::height - PlotFrame::bottom, 0) + "'/>";
  }
  return out;
}

}  // namespace

std::string loss_plot(const std::vector<float>& losses, int64_t steps_per_epoch) {
  const Points points = raw_points(losses);
  const auto [low, high] = range_of(points);
  const auto steps = static_cast<double>(std::max<size_t>(losses.size(), 10));
  const PlotFrame frame{linear_axis(0, steps, 8, "step"), logarithmic_axis(low, high, "loss, logarithmic")};
  return frame.svg("The training loss falls over the steps",
                   epoch_marks(frame, losses.size(), steps_per_epoch) + "<path class='raw' d='" + frame.path(points) +
                       "'/><path class='smooth' d='" + frame.path(smoothed(points)) + "'/>");
}

std::string accuracy_plot(const std::vector<double>& accuracies) {
  Points points;
  for (const double accuracy : accuracies) points.emplace_back(static_cast<double>(points.size() + 1), 100 * accuracy);
  const auto [least, most] = std::minmax_element(accuracies.begin(), accuracies.end());
  const double room = std::max(1.0, (*most - *least) * 25);
  PlotFrame frame{linear_axis(0.5, static_cast<double>(points.size()) + 0.5, 10, "epoch"),
                  linear_axis(std::max(0.0, 100 * *least - room), std::min(100.0, 100 * *most + room), 5, "right, %")};
  std::erase_if(frame.x.ticks, [](const auto& tick) { return tick.first != std::round(tick.first) || tick.first < 1; });
  for (auto& [value, text] : frame.x.ticks) text = fixed(value, 0);

  std::string marks;
  for (const auto& [epoch, percent] : points) {
    const double x = frame.at_x(epoch), y = frame.at_y(percent);
    marks += "<circle class='dot' cx='" + fixed(x, 1) + "' cy='" + fixed(y, 1) + "' r='4'/>";
    if (points.size() > 12 && epoch != points.back().first) continue;  // more labels than there is room for
    marks += "<text class='value' x='" + fixed(x, 1) + "' y='" + fixed(y - 10, 1) + "' text-anchor='middle'>" +
             fixed(percent, 2) + " %</text>";
  }
  return frame.svg("The accuracy on the test images after each epoch",
                   "<path class='smooth' d='" + frame.path(points) + "'/>" + marks);
}

#include "svg_confusion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "svg_axes.hpp"
#include "text.hpp"

namespace {

/// Where things stand: the cells behind the names of classes, below those of guesses, and the share found behind them.
struct Grid {
  Width kind;
  double left, top, cell_width, cell_height, recall_width;
  double head_size, count_size;  ///< of text
  double head_angle;

  double width() const { return left + Dataset::classes * cell_width + recall_width; }
  double height() const { return top + Dataset::classes * cell_height + 4; }
};

constexpr Grid wide{Width::wide, 92, 84, 46, 30, 66, 13, 13, -40};
constexpr Grid narrow{Width::narrow, 69, 78, 25, 24, 44, 11, 9.5, -60};

std::string text_at(const std::string& type, double size, double x, double y, const std::string& anchor,
                    const std::string& text) {
  return "<text class='" + type + "' font-size='" + fixed(size, 1) + "' x='" + fixed(x, 1) + "' y='" + fixed(y, 1) +
         "' text-anchor='" + anchor + "'>" + escaped(text) + "</text>";
}

std::string column_heads(const Grid& grid) {
  std::string out;
  const double y = grid.top - 8;
  for (size_t column = 0; column < Dataset::classes; ++column) {
    const double x = grid.left + (static_cast<double>(column) + 0.5) * grid.cell_width + 4;
    out += "<g transform='rotate(" + fixed(grid.head_angle, 0) + " " + fixed(x, 1) + " " + fixed(y, 1) + ")'>" +
           text_at("head", grid.head_size, x, y, "start", class_names[column]) + "</g>";
  }
  return out + text_at("head", grid.head_size, grid.width() - 2, y, "end", "found");
}

std::string cell(const Grid& grid, size_t row, size_t column, int64_t count, double share) {
  const double x = grid.left + static_cast<double>(column) * grid.cell_width,
               y = grid.top + static_cast<double>(row) * grid.cell_height;
  const bool right = row == column;
  // Errors are few: their square root, so that one in a hundred is still seen.
  const double strength = right ? 0.25 + 0.6 * share : std::min(0.75, 1.6 * std::sqrt(share));
  return "<rect class='" + std::string(right ? "right" : "wrong") + "' x='" + fixed(x + 1, 1) + "' y='" +
         fixed(y + 1, 1) + "' width='" + fixed(grid.cell_width - 2, 0) + "' height='" + fixed(grid.cell_height - 2, 0) +
         "' rx='3' fill-opacity='" + fixed(strength, 3) + "'/>" +
         text_at(count == 0                 ? "none"
                 : right && strength > 0.78 ? "strong"
                                            : "count",
                 grid.count_size, x + grid.cell_width / 2, y + grid.cell_height / 2 + grid.count_size * 0.35, "middle",
                 std::to_string(count));
}

std::string table_row(const Grid& grid, size_t row, const Confusion& confusion) {
  const auto& counts = confusion[row];
  const auto total =
      static_cast<double>(std::max<int64_t>(1, std::accumulate(counts.begin(), counts.end(), int64_t{0})));
  const double baseline = grid.top + (static_cast<double>(row) + 0.5) * grid.cell_height + grid.head_size * 0.35;
  std::string out = text_at("head", grid.head_size, grid.left - 6, baseline, "end", class_names[row]);
  for (size_t column = 0; column < counts.size(); ++column)
    out += cell(grid, row, column, counts[column], static_cast<double>(counts[column]) / total);
  return out + text_at("head", grid.head_size, grid.width() - 2, baseline, "end",
                       fixed(100 * static_cast<double>(counts[row]) / total, 1) + " %");
}

std::string drawing(const Grid& grid, const Confusion& confusion) {
  std::string content = column_heads(grid);
  for (size_t row = 0; row < confusion.size(); ++row) content += table_row(grid, row, confusion);
  return svg_of(grid.kind, grid.width(), grid.height(),
                "Confusion matrix: rows are what a picture shows, columns what was guessed", content);
}

}  // namespace

std::string confusion_table(const Confusion& confusion) {
  return "<div class='card'>" + drawing(wide, confusion) + drawing(narrow, confusion) + "</div>\n";
}

#include "svg_confusion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "text.hpp"

namespace {

constexpr double left = 92, top = 84, cell_width = 46, cell_height = 30, recall_width = 66;
constexpr double width = left + Dataset::classes * cell_width + recall_width,
                 height = top + Dataset::classes * cell_height + 4;

std::string text_at(const std::string& type, double x, double y, const std::string& anchor, const std::string& text) {
  return "<text class='" + type + "' x='" + fixed(x, 1) + "' y='" + fixed(y, 1) + "' text-anchor='" + anchor + "'>" +
         escaped(text) + "</text>";
}

std::string column_heads() {
  std::string out;
  for (size_t column = 0; column < Dataset::classes; ++column) {
    const double x = left + (static_cast<double>(column) + 0.5) * cell_width + 4;
    out += "<g transform='rotate(-40 " + fixed(x, 1) + " " + fixed(top - 8, 1) + ")'>" +
           text_at("head", x, top - 8, "start", class_names[column]) + "</g>";
  }
  return out + text_at("head", width - 4, top - 8, "end", "found");
}

std::string cell(size_t row, size_t column, int64_t count, double share) {
  const double x = left + static_cast<double>(column) * cell_width, y = top + static_cast<double>(row) * cell_height;
  const bool right = row == column;
  // Errors are few: their square root, so that one in a hundred is still seen.
  const double strength = right ? 0.25 + 0.6 * share : std::min(0.75, 1.6 * std::sqrt(share));
  return "<rect class='" + std::string(right ? "right" : "wrong") + "' x='" + fixed(x + 1, 1) + "' y='" +
         fixed(y + 1, 1) + "' width='" + fixed(cell_width - 2, 0) + "' height='" + fixed(cell_height - 2, 0) +
         "' rx='3' fill-opacity='" + fixed(strength, 3) + "'/>" +
         text_at(count == 0                ? "none"
                 : right && strength > 0.7 ? "strong"
                                           : "count",
                 x + cell_width / 2, y + cell_height / 2 + 4.5, "middle", std::to_string(count));
}

std::string table_row(size_t row, const Confusion& confusion) {
  const auto& counts = confusion[row];
  const auto total =
      static_cast<double>(std::max<int64_t>(1, std::accumulate(counts.begin(), counts.end(), int64_t{0})));
  const double baseline = top + (static_cast<double>(row) + 0.5) * cell_height + 4.5;
  std::string out = text_at("head", left - 8, baseline, "end", class_names[row]);
  for (size_t column = 0; column < counts.size(); ++column)
    out += cell(row, column, counts[column], static_cast<double>(counts[column]) / total);
  return out +
         text_at("head", width - 4, baseline, "end", fixed(100 * static_cast<double>(counts[row]) / total, 1) + " %");
}

}  // namespace

std::string confusion_table(const Confusion& confusion) {
  std::string out =
      "<div class='scroll'><svg class='confusion' role='img' viewBox='0 0 " + fixed(width, 0) + " " + fixed(height, 0) +
      "'><title>Confusion matrix: rows are what a picture shows, columns what was guessed</title>" + column_heads();
  for (size_t row = 0; row < confusion.size(); ++row) out += table_row(row, confusion);
  return out + "</svg></div>\n";
}

#include "confusion_text.hpp"

#include <algorithm>
#include <numeric>

#include "text.hpp"

namespace {

std::string right_aligned(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

}  // namespace

std::string confusion_text(const Confusion& confusion) {
  constexpr size_t head_width = 10, width = 6, found_width = 8;
  std::string out = std::string(head_width, ' ');
  for (const char* name : class_names) out += right_aligned(std::string(name).substr(0, width - 1), width);
  out += right_aligned("found", found_width) + "\n";
  for (size_t row = 0; row < confusion.size(); ++row) {
    const auto& counts = confusion[row];
    const auto total = std::max<int64_t>(1, std::accumulate(counts.begin(), counts.end(), int64_t{0}));
    out += right_aligned(class_names[row], head_width);
    for (const int64_t count : counts) out += right_aligned(count == 0 ? "." : std::to_string(count), width);
    out += right_aligned(fixed(100.0 * static_cast<double>(counts[row]) / static_cast<double>(total), 1) + " %",
                         found_width) +
           "\n";
  }
  return out;
}

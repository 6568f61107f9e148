#include "lower/attention/forward_text.hpp"

namespace eglantine::lower {

std::string text_of(int number) { return std::to_string(number); }
std::string score(int row, int h) { return "s" + text_of(row) + "_" + text_of(h); }
std::string sum(int row, int g) { return "o" + text_of(row) + "_" + text_of(g); }
std::string of_row(const char* name, int row) { return name + text_of(row); }

std::string store_text(const AttentionTile& tile, const std::string& first, const std::string& step,
                       const std::string& lane, const std::string& element) {
  return each(tile.rows, [&](int r) {
    const std::string apart = tile.serial() ? "" : u(4 * tile.lanes_x) + " * ";
    return "{ uint at = " + first + step + " * " + u(r) + "; if (at < EG_ALL_ROWS) { float share = eg_share_of(" +
           of_row("largest", r) + ", " + of_row("total", r) + "); " +
           each(tile.result_vectors,
                [&](int g) {
                  const std::string e = element + " + " + (tile.serial() ? u(4 * g) : apart + u(g));
                  return "eg_result(at, " + e + ", eg_normalized(" + sum(r, g) + ", " + of_row("largest", r) +
                         ", share)); ";
                }) +
           "if (" + lane + " == 0u) eg_put_logsumexp(at, " + of_row("largest", r) + ", " + of_row("total", r) +
           "); } } ";
  });
}

}  // namespace eglantine::lower

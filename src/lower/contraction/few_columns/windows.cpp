#include "lower/contraction/few_columns/windows.hpp"

#include <algorithm>
#include <utility>

#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

// Chunks are no shorter, unless k is: each writes results of its own. Shaders number those in 32 bits.
constexpr int64_t fewest_quads = 4, most_results = int64_t{1} << 31;

using Halves = std::pair<Window, Window>;

/// The first half has a multiple of `multiple`.
Halves halved(const Window& window, int64_t multiple) {
  const int64_t first = ceil_divide(window.count, 2 * multiple) * multiple;
  return {{window.first, first}, {window.first + first, window.count - first}};
}

/// Cuts in two what a binding does not cover.
class Cutter {
 public:
  Cutter(const Target& target, const FewColumnsProduct& product, const FewColumnsPlan& plan, FewColumnsWindows& result)
      : target_(target), product_(product), plan_(plan), result_(result) {}

  /// False where the smallest window does not fit.
  bool cut(const FewColumnsWindow& window) {
    if (fits(window)) {
      result_.windows.push_back(window);
      return true;
    }
    const int64_t unit = plan_.along_rows ? vector_width : 1;
    const bool few_rows = window.rows.count <= (plan_.along_rows ? product_.sizes.rows : plan_.block_rows());
    if (window.batches.count > 1) return cut_both(window, &FewColumnsWindow::batches, 1);
    if (window.chunks.count > 1 && few_rows) return cut_both(window, &FewColumnsWindow::chunks, 1);
    if (window.rows.count > unit) return cut_both(window, &FewColumnsWindow::rows, unit);
    return false;
  }

 private:
  bool cut_both(const FewColumnsWindow& window, Window FewColumnsWindow::*part, int64_t multiple) {
    FewColumnsWindow low = window, high = window;
    std::tie(low.*part, high.*part) = halved(window.*part, multiple);
    return cut(low) && cut(high);
  }

  bool fits(const FewColumnsWindow& window) const {
    if (result_.copies_columns && window.chunks.count > 1) return false;
    const Window rows{window.batches.first * product_.sizes.rows + window.rows.first,
                      (window.batches.count - 1) * product_.sizes.rows + window.rows.count};
    const int64_t chunk = result_.chunk_quads * vector_width;
    const Window steps{window.chunks.first * chunk,
                       std::min(product_.sizes.length - window.chunks.first * chunk, window.chunks.count * chunk)};
    const Shape& domain = product_.matrix.domain;
    const codegen::AxisSpan kept{0, product_.kept_rank}, summed{product_.kept_rank, domain.rank() - product_.kept_rank};
    for (size_t i = 0; i < product_.matrix.operands.size(); ++i) {
      const Strided& operand = product_.matrix.operands[i];
      const int64_t reached = codegen::reach_of(operand.layout, kept, rows).count() +
                              codegen::reach_of(operand.layout, summed, steps).count();
      if (product_.matrix.piecewise_of(i) == nullptr && !covers(reached, bytes_of(operand.storage))) return false;
    }
    constexpr int64_t word = 4;
    return covers((window.chunks.count - 1) * product_.results() + rows.count * product_.sizes.columns, word) &&
           (!result_.copies_columns ||
            covers(window.batches.count * product_.sizes.columns * round_up(steps.count, vector_width), word));
  }

  bool covers(int64_t elements, int64_t bytes) const {
    return (elements + vector_width) * bytes + target_.binding_alignment <= target_.max_block_bytes;
  }

  const Target& target_;
  const FewColumnsProduct& product_;
  const FewColumnsPlan& plan_;
  FewColumnsWindows& result_;
};

}  // namespace

std::optional<FewColumnsWindows> few_columns_windows(const Target& target, const FewColumnsProduct& product,
                                                     const FewColumnsPlan& plan) {
  FewColumnsWindows result;
  const Strided& vectors = product.vectors;
  result.copies_columns = layout::reach(vectors.layout).count() * bytes_of(vectors.storage) + target.binding_alignment >
                          target.max_block_bytes;
  const int64_t fewest = std::min(fewest_quads, plan.chunk_quads);
  for (int64_t quads = plan.chunk_quads; quads >= fewest; quads = quads > 1 ? ceil_divide(quads, 2) : 0) {
    result.chunk_quads = quads;
    result.windows.clear();
    const int64_t chunks = ceil_divide(product.quads(), quads);
    if (chunks * (product.results() + vector_width) > most_results) break;
    if (!Cutter(target, product, plan, result).cut({{0, product.sizes.batches}, {0, product.sizes.rows}, {0, chunks}}))
      continue;
    std::stable_sort(
        result.windows.begin(), result.windows.end(),
        [](const FewColumnsWindow& a, const FewColumnsWindow& b) { return a.chunks.first < b.chunks.first; });
    return result;
  }
  return std::nullopt;
}

}  // namespace eglantine::lower

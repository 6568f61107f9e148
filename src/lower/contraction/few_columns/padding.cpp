#include "lower/contraction/few_columns/padding.hpp"

#include <algorithm>

#include "lower/contraction/few_columns/wide_blocks.hpp"

namespace eglantine::lower {
namespace {

bool may_pad(const Target& target, const FewColumnsProduct& product) {
  // Of fewer elements the dispatches count that leave out the last columns (2490 x 4096 x 14: 30 us and 51), of shorter
  // rows what they read and write, of fewer rows the copy of the columns.
  constexpr int64_t fewest_elements = int64_t{1} << 24, fewest_rows = 1024, shortest = 256;
  const FewColumnsSizes& sizes = product.sizes;
  return !target.software && !product.along_rows && !product.across && sizes.batches == 1 &&
         product.vectors.layout.shape.rank() == 2 && sizes.rows >= fewest_rows && sizes.length >= shortest &&
         sizes.rows * sizes.length >= fewest_elements;
}

/// Us on an H200, as they are and padded; rows of 3673 and 513 begin anywhere, those of 3672, 3673 and 8000 are in
/// chunks of k:
///   16,384 x 3673: 9 146, 140; 10 167, 139; 11 264, 140; 12 156, 139; 13 182, 139; 14 190, 138; 15 495, 138
///   100,003 x 513: 9 119, 181; 11 185, 176; 12 117, 154; 14 138, 155; 15 295, 155
///   16,384 x 3672: 11 112, 140; 14 156, 117; 15 127, 116; 8000 x 8000: 11 98, 123; 14 167, 122; 15 117, 120
///   f16 16,384 x 3673: 9 117, 129; 12 107, 129; 15 349, 129
bool is_slow(const Target& target, const FewColumnsProduct& product) {
  const int64_t columns = product.sizes.columns;
  const bool chunks = cached_quads(target, product) < product.quads();
  if (std::ranges::any_of(product.matrix.operands, [](const Strided& x) { return is_narrow(x.storage); }))
    return columns == 15 && chunks;
  const bool anywhere = splits_vectors(product);
  if (columns == 15) return anywhere;
  if (columns == 14) return chunks;
  return anywhere && columns >= 9 && columns <= 13 && (chunks || columns == 11);
}

}  // namespace

bool gains_by_padding(const Target& target, const FewColumnsProduct& product) {
  return may_pad(target, product) && is_slow(target, product);
}

}  // namespace eglantine::lower

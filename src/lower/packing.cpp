#include "lower/packing.hpp"

#include <algorithm>

#include "codegen/addresses/access_pattern.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

using codegen::vector_width;

/// Elements from which on fewer atomics are worth two more dispatches.
constexpr int64_t long_on_software = 64, long_on_hardware = int64_t{1} << 16;

bool in_whole_words(const Strided& out) {
  const int64_t elements = out.layout.size();
  return out.layout.is_contiguous() && out.layout.offset % vector_width == 0 &&
         (out.whole || elements % vector_width == 0);
}

/// Whether the rows that are contiguous in memory are of whole words.
bool has_rows_of_vectors(const Layout& x) {
  for (int axis = 0; axis < x.shape.rank(); ++axis)
    if (x.strides[static_cast<size_t>(axis)] == 1) return x.shape[axis] % vector_width == 0;
  return false;
}

/// Whether a family writes vectors of whole words.
bool writes_vectors(const MapKernel&) { return true; }
bool writes_vectors(const GatherKernel&) { return true; }
bool writes_vectors(const ScatterKernel&) { return true; }
bool writes_vectors(const ReduceKernel& reduce) { return reduce.tree == layout::ReduceTree::column; }
bool writes_vectors(const ScanKernel& scan) { return has_rows_of_vectors(scan.out.layout); }
bool writes_vectors(const RowKernel& row) {
  return is_of_rows(row.out.layout, row.kept_rank) ? row.strided : has_rows_of_vectors(row.out.layout);
}
bool writes_vectors(const MatmulKernel& matmul) { return matmul.n % vector_width == 0; }
bool writes_vectors(const FewColumnsKernel&) { return true; }
bool writes_vectors(const ContractionKernel&) { return false; }
bool writes_vectors(const AttentionKernel& attention) { return attention.results % vector_width == 0; }
bool writes_vectors(const AttentionGradientKernel&) { return true; }
bool writes_vectors(const SortKernel&) { return false; }
bool writes_vectors(const TileKernel&) { return false; }

Layout line(int64_t length) { return layout::contiguous({length}); }

}  // namespace

bool shares_words(const MapKernel& map) { return is_narrow(map.out.storage) && !in_whole_words(map.out); }

std::vector<layout::Box> boxes_of_whole_words(const Target& target, const MapKernel& map) {
  const Layout& out = map.out.layout;
  const int64_t length = out.shape[0];
  if (!shares_words(map) || !map.value.stored.empty() || out.shape.rank() > 1 || !out.is_contiguous()) return {};
  if (length < (target.software ? long_on_software : long_on_hardware)) return {};
  const int64_t first = (vector_width - out.offset % vector_width) % vector_width,
                last = length - (length - first) % vector_width;
  std::vector<layout::Box> boxes;
  for (const auto& [start, end] : {std::pair<int64_t, int64_t>{0, first}, {first, last}, {last, length}})
    if (start < end) boxes.push_back({{start}, {end - start}});
  return boxes;
}

bool is_packed_later(const Target& target, const Kernel& kernel) {
  const Strided& out = output_of(kernel);
  if (!target.packs_words || !is_narrow(out.storage) || !out.whole) return false;
  return std::visit([](const auto& family) { return !writes_vectors(family); }, kernel);
}

Strided packing::words_for(Lowering& lowering, const Strided& out) {
  Strided words = lowering.temporary(out.dtype(), line(layout::reach(out.layout).last + 1));
  words.layout = out.layout;
  return words;
}

void packing::pack(Lowering& lowering, const Strided& words, const Strided& out) {
  const Layout all = line(layout::reach(out.layout).last + 1);
  lower(lowering, MapKernel{load_of({words.buffer, words.storage, all}), {out.buffer, out.storage, all, true}});
}

}  // namespace eglantine::lower

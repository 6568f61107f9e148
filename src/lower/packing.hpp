#pragma once

#include <vector>

#include "graph/kernel/kernel.hpp"
#include "layout/split.hpp"
#include "lower/lowering.hpp"

/// Results in narrow storage whose vectors share 32-bit words with others: written in place they take two atomics for
/// each shared word (codegen/bindings.hpp).
namespace eglantine::lower {

/// Whether a map's vectors share words with each other or with what lies beside its output.
bool shares_words(const MapKernel& map);

/// A long contiguous map as a few elements up to the first whole word, whole words, and the rest: only few elements
/// then share words. Nothing for other maps.
std::vector<layout::Box> boxes_of_whole_words(const Target& target, const MapKernel& map);

/// Whether a kernel's result takes a detour: memory of a word an element, and a map that packs it.
bool is_packed_later(const Target& target, const Kernel& kernel);

namespace packing {
Strided words_for(Lowering& lowering, const Strided& out);
void pack(Lowering& lowering, const Strided& words, const Strided& out);
}  // namespace packing

/// The kernel into memory of words by `add`, and from there into narrow storage.
template <class K, class Add>
void add_packed(Lowering& lowering, K kernel, Add add) {
  const Strided out = kernel.out;
  kernel.out = packing::words_for(lowering, out);
  const Strided words = kernel.out;
  add(std::move(kernel));
  packing::pack(lowering, words, out);
}

}  // namespace eglantine::lower

#pragma once

#include <optional>

#include "graph/kernel/kernel.hpp"

namespace eglantine::lower {

/// An epilogue in two: `first`, whose value is stored at `out`, and `rest`, which reads it there.
struct SplitEpilogue {
  Expr first;
  Strided out;
  Expr rest;
};

/// An epilogue that stores a value on the way, f32 and contiguous, of short functions, and needs the accumulator for
/// nothing else: what follows then reads what is stored anyway, and the product is not stored beside it.
std::optional<SplitEpilogue> split_at_stored(const Expr& epilogue);

}  // namespace eglantine::lower

#pragma once

#include "backend/buffer.hpp"
#include "lower/lowering.hpp"

/// What this backend runs: kernels as the steps that lowering makes of them.
namespace eglantine::gl {

using lower::Bound;
using lower::CopyRange;
using lower::Dispatch;
using lower::Flag;
using lower::Lowered;
using lower::Range;
using lower::Target;
using lower::Tuning;

inline const Storage& storage_of(const Bound& bound) {
  return bound.storage() != nullptr ? *bound.storage() : bound.buffer()->storage();
}

/// For lowering: a buffer without storage.
inline BufferPtr unstored(int64_t bytes) { return std::make_shared<Buffer>(nullptr, bytes); }

}  // namespace eglantine::gl

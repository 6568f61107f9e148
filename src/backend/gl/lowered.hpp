#pragma once

#include "backend/buffer.hpp"
#include "lower/lowering.hpp"

/// Lowered kernels, which this backend runs.
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

/// A buffer without storage, for lowering.
inline BufferPtr unstored(int64_t bytes) { return std::make_shared<Buffer>(nullptr, bytes); }

}  // namespace eglantine::gl

#pragma once

#include <optional>

#include "backend/gl/runtime.hpp"
#include "codegen/matmul.hpp"

namespace eglantine::gl {

/// Fills in the tile: work group, rows and columns an invocation, shared memory or none, for a product of m x n results
/// on this device.
void choose_tile(const Target& target, int64_t m, int64_t n, codegen::MatmulShader& shader);

/// A product with one row or one column is a sum of products, which the reduce family reads at full bandwidth; nothing
/// for the others.
std::optional<ReduceKernel> as_reduction(const MatmulKernel& kernel);

}  // namespace eglantine::gl

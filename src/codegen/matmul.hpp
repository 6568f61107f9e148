#pragma once

#include <string>

#include "eglantine/dtype.hpp"

namespace eglantine::codegen {

/// How four neighbouring elements of an operand are read: as one vec4 along k, as one vec4 along its other axis (m of
/// a, n of b), or one by one.
enum class MatmulRead : char { along_k = 'k', across = 'x', single = '1' };

/// The structure of a product's program; sizes and strides are uniforms.
struct MatmulShader {
  DType dtype;
  MatmulRead a = MatmulRead::single;
  MatmulRead b = MatmulRead::single;
  bool vector_store = false;  ///< rows of the result are written by vec4
  int batch_rank = 0;
  bool shared = false;  ///< tiles go through shared memory (hardware), else registers alone (software drivers)
  int rows = 4;         ///< of the result, an invocation; a multiple of 4
  int columns = 4;
  int local_x = 8;  ///< invocations of a work group, across columns
  int local_y = 8;
  int depth = 8;  ///< k-steps of a shared tile; a multiple of 4
};

/// Words of `eg_u` in order; then, for each batch axis, its length and the strides of a, b and out.
enum MatmulUniform : int {
  u_m,
  u_n,
  u_k,
  u_a,
  u_a_m,
  u_a_k,
  u_b,
  u_b_k,
  u_b_n,
  u_out,
  u_out_m,
  u_accumulate,
  u_first_batch,
  u_batch_axes
};

std::string matmul_key(const MatmulShader& shader);
/// The whole source, less the version header: bindings 0 (a), 1 (b), 2 (out).
std::string matmul_source(const MatmulShader& shader);

}  // namespace eglantine::codegen

#pragma once

#include <cstdint>

#include "eglantine/dtype.hpp"

namespace eglantine {

/// What a plan depends on of the device that it is for.
struct DeviceLimits {
  int64_t max_bindings = 16;                  ///< storage buffers one kernel may read and write, its output included
  int64_t longest_row = int64_t{1} << 30;     ///< elements of a row that a RowKernel takes
  int64_t longest_column = int64_t{1} << 30;  ///< the same of one whose elements lie apart, read or stored
  int64_t enough_columns = 0;                 ///< columns of which row kernels keep a device busy
  bool compacts_by_tiles = false;             ///< what masks select is put together by nodes::Scatter::ends
  bool dense_pieces = false;                  ///< pieces of booleans are written as bytes: the host copies them
  bool masks_on_host = false;                 ///< the host finds the places where masks are true: it runs the kernels
  bool folds_together = true;     ///< reductions of the same elements take one kernel of rows less than one each
  int64_t rows_across = 0;        ///< elements from which rows that lie across their results are read twice; 0: never
  int64_t line = 0;               ///< words of memory that are written best by one kernel; 0: as well by several
  int64_t extremes_together = 0;  ///< elements from which a largest and a smallest are of one reading; 0: never
  int64_t short_heads = 0;        ///< heads from which attention has short sequences in registers; 0: never
  int64_t shortest_selection = int64_t{1} << 14;  ///< elements of a row whose few places are found without sorting it
  bool row_chains = true;                         ///< plan row kernels; else every sum is added in its tree's order
};

}  // namespace eglantine

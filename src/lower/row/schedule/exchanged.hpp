#pragma once

#include "lower/row/schedule/schedule.hpp"

/// Rows that begin anywhere in memory, whose lanes exchange what makes whole vectors of memory of their results
/// (codegen::StoreStage::exchanges()).
namespace eglantine::lower {

/// In how many lanes such rows are, if each has up to `most` vectors: what takes the least work. Four lanes would
/// access half of a line at a time (softmax of 1,000,003 rows of 65 on an H200, 186 us, of eight lanes 152).
int64_t lanes_that_exchange(const Target& target, const RowPlan& plan, int64_t most);

/// Whether that pays. Halves are written by words else, of which many are two lanes'. Of words so many lanes have
/// elements apart else (0: that is not so), and access whole lines: only the lanes are fewer, which pays where each
/// computes three folds. Of less memory takes as long as joined and exchanged vectors do. On an H200, layer_norm of
/// 700,001 rows of 101 178 us and 168, of 491,039 of 149 212 and 170, softmax of 700,001 of 101 151 and 172.
bool pays_exchange(const Target& target, const RowKernel& kernel, const RowPlan& plan, int64_t lanes_apart,
                   int64_t lanes);

}  // namespace eglantine::lower

#pragma once

#include "lower/contraction/schedule/schedule.hpp"

/// Split k: chunks of k side by side, each with a partial result of its own.
namespace eglantine::lower {

/// Chunks of `depth` from `first` on, of which the last ends at `end` and may be shorter.
struct StepChunks {
  int64_t first = 0, end = 0, depth = 0;
  int64_t count() const;
};

/// The longest k of one dispatch, so that an invocation's loops (four steps a trip, and up to three single steps) stay
/// within the driver's bound.
int64_t longest_depth(const Target& target);

/// Whether one dispatch has groups for all rows and columns of results.
bool has_groups_for(const Target& target, const Contraction& product, const MatmulShader& shader);

/// Whether one dispatch has all chunks, whatever their lengths. A tile of one step has its own text for a whole one.
/// partials: elements that it stores, a word each.
bool may_run_together(const Target& target, const Contraction& product, const MatmulShader& shader,
                      const StepChunks& chunks, int64_t partials);

/// All of a product's k in `splits` chunks. together: one dispatch may have them all, also a shorter last one.
struct SplitK {
  StepChunks chunks;
  bool together;
};
SplitK split_k(const Target& target, const Contraction& product, const MatmulShader& shader, int64_t splits);

/// The product with those chunks as its first batch axis: the results of each lie behind those of the one before it, in
/// `partials` of all chunks from k = 0 on.
Contraction in_chunks_of_k(const Contraction& product, const Strided& partials, const StepChunks& chunks);

}  // namespace eglantine::lower

#include "lower/attention/gradient/apart.hpp"

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

/// Memory for a result that the kernels give contiguous, in the order of (batches, heads, lines, elements).
class Contiguous {
 public:
  Contiguous(Lowering& lowering, const Strided& out)
      : out_(out), memory_(lowering.temporary(DType::f32, layout::contiguous(out.layout.shape))) {}

  Strided memory() const { return {memory_.buffer, memory_.storage, layout::contiguous({out_.layout.size()})}; }

  void put(Lowering& lowering) const {
    MapKernel map{load_of(memory_), out_};
    collapse(map);
    lower(lowering, map);
  }

 private:
  Strided out_, memory_;
};

}  // namespace

void lower_apart(Lowering& lowering, const AttentionGradientKernel& all) {
  AttentionGradientKernel queries = all, keys = all;
  const Contiguous q(lowering, all.out), k(lowering, all.second),
      v(lowering, {all.second.buffer, all.second.storage, all.third});
  queries.third = keys.third = {};
  queries.together = 0;
  queries.second = {};
  queries.out = q.memory();
  lower(lowering, queries);
  q.put(lowering);
  keys.out = k.memory();
  keys.second = v.memory();
  lower(lowering, keys);
  k.put(lowering);
  v.put(lowering);
}

}  // namespace eglantine::lower

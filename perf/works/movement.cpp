#include "graph/node.hpp"
#include "perf/works/works.hpp"

namespace eglantine::perf {

Work transpose_work(int64_t n) {
  // A transposed tensor is a view and costs nothing; the copy that a reader makes of it is what is measured.
  Work work = work_of("transpose_copy/" + size_text(Shape{n, n}), {{{n, n}}},
                      [](const Tensors& x) {
                        const Tensor view = x[0].transpose(0, 1);
                        return Tensors{Tensor(make_elementwise(Op::copy, DType::f32, {view.node(), nullptr, nullptr}))};
                      },
                      {{1}, 0, 0, 0});
  work.bytes = 8 * static_cast<double>(n * n);
  return work;
}

}  // namespace eglantine::perf

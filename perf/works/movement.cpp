#include "graph/node.hpp"
#include "perf/works/works.hpp"

namespace eglantine::perf {

Work transpose_work(int64_t n, DType dtype) {
  // A transposed tensor is a view and costs nothing; the copy that a reader makes of it is what is measured.
  Work work = work_of(name_in(dtype, "transpose_copy") + "/" + size_text(Shape{n, n}), {in_dtype(dtype, {n, n})},
                      [dtype](const Tensors& x) {
                        const Tensor view = x[0].transpose(0, 1);
                        return Tensors{Tensor(make_elementwise(Op::copy, dtype, {view.node(), nullptr, nullptr}))};
                      },
                      {{1}, 0, 0, 0});
  work.bytes = 2 * static_cast<double>(size_of(dtype)) * static_cast<double>(n * n);
  return work;
}

}  // namespace eglantine::perf

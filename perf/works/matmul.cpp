#include <cmath>

#include "perf/works/works.hpp"

namespace eglantine::perf {

namespace {

/// On random data the errors of a sum of k products grow with sqrt k; a product is 1/3 of the largest on average.
double absolute_of(int64_t k) { return 4 * (std::sqrt(real(k)) + 4) * 0x1p-23 * real(k) / 3; }

Work with_costs(Work work, double batch, int64_t m, int64_t k, int64_t n, DType dtype = DType::f32) {
  work.bytes =
      static_cast<double>(size_of(dtype)) * batch * (real(m) * real(k) + real(k) * real(n) + real(m) * real(n));
  work.operations = 2 * batch * real(m) * real(k) * real(n);
  return work;
}

Tensors product(const Tensors& x) { return {matmul(x[0], x[1])}; }

}  // namespace

Work matmul_work(int64_t m, int64_t k, int64_t n, DType dtype) {
  const std::string size = m == k && k == n ? std::to_string(n) : size_text(Shape{m, k, n});
  const Operand a = in_dtype(dtype, {m, k}, Fill::signed_uniform), b = in_dtype(dtype, {k, n}, Fill::signed_uniform);
  return with_costs(work_of(name_in(dtype, "matmul") + "/" + size, {a, b}, product,
                            {{0, -1}, 0, tolerance_in(dtype, 0), absolute_of(k)}),
                    1, m, k, n, dtype);
}

Work matmul_rows_work(int64_t m, int64_t k, int64_t n, DType dtype) {
  const Operand rows = in_dtype(dtype, {m, k}, Fill::signed_uniform),
                weights = in_dtype(dtype, {n, k}, Fill::signed_uniform);
  return with_costs(work_of(name_in(dtype, "matmul_rows") + "/" + size_text(Shape{m, k, n}), {rows, weights},
                            [](const Tensors& x) { return Tensors{matmul(x[0], x[1].transpose(0, 1))}; },
                            {{-1, 0}, 1, tolerance_in(dtype, 0), absolute_of(k)}),
                    1, m, k, n, dtype);
}

Work batch_matmul_work(int64_t batch, int64_t n) {
  const Operand operand{{batch, n, n}, Fill::signed_uniform};
  return with_costs(
      work_of("matmul_batch/" + size_text(operand.shape), {operand, operand}, product, {{0, 0}, 0, 0, absolute_of(n)}),
      real(batch), n, n, n);
}

Work matmul_transposed_work(int64_t m, int64_t k, int64_t n) {
  return with_costs(work_of("matmul_a_transposed/" + size_text(Shape{m, k, n}),
                            {{{k, m}, Fill::signed_uniform}, {{k, n}, Fill::signed_uniform}},
                            [](const Tensors& x) { return Tensors{matmul(x[0].transpose(0, 1), x[1])}; },
                            {{1, -1}, 0, 0, absolute_of(k)}),
                    1, m, k, n);
}

Work linear_gelu_work(int64_t rows, int64_t inputs, int64_t units) {
  Work work = with_costs(work_of("linear_gelu/" + size_text(Shape{rows, inputs, units}),
                                 {{{rows, inputs}, Fill::signed_uniform},
                                  {{inputs, units}, Fill::signed_uniform},
                                  {{units}, Fill::signed_uniform}},
                                 [](const Tensors& x) { return Tensors{gelu(matmul(x[0], x[1]) + x[2])}; },
                                 {{0, -1, -1}, 0, 1e-5, absolute_of(inputs)}),
                         1, rows, inputs, units);
  work.operations += 2 * real(rows) * real(units);
  return work;
}

}  // namespace eglantine::perf

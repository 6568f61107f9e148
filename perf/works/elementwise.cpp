#include "graph/node.hpp"
#include "perf/works/works.hpp"

namespace eglantine::perf {

namespace {

double f32_bytes(double elements) { return 4 * elements; }

/// Over vectors of n elements; `tensors` of them are read and written.
Work over_vectors(const std::string& name, std::vector<Operand> operands, Verb verb, double tensors, double operations,
                  double relative = 1e-6, double absolute = 1e-30) {
  const int64_t n = operands.front().shape.elements();
  const std::vector<int> axes(operands.size(), 0);
  Work work = work_of(name + "/" + size_text(n), std::move(operands), std::move(verb), {axes, 0, relative, absolute});
  work.bytes = f32_bytes(tensors * static_cast<double>(n));
  work.operations = operations * static_cast<double>(n);
  return work;
}

/// Likewise, all of one dtype and filled alike; devices agree on a value to `relative`, but for its rounding.
Work over_vectors_in(DType dtype, const std::string& name, int64_t n, size_t operands, Fill fill, Verb verb,
                     double operations, double relative) {
  const auto tensors = static_cast<double>(operands + 1);
  Work work = over_vectors(name_in(dtype, name), std::vector<Operand>(operands, in_dtype(dtype, {n}, fill)),
                           std::move(verb), tensors, operations, relative);
  work.bytes = static_cast<double>(size_of(dtype)) * tensors * static_cast<double>(n);
  return work;
}

/// Of an n x n tensor and another operand, added.
Work added(const std::string& name, int64_t n, const Operand& other, int axis, Verb verb) {
  const double elements = static_cast<double>(n * n), more = static_cast<double>(other.shape.elements());
  Work work = work_of(name + "/" + size_text(Shape{n, n}), {{{n, n}}, other}, std::move(verb), {{0, axis}, 0, 0, 0});
  work.bytes = f32_bytes(2 * elements + more);
  work.operations = elements;
  return work;
}

}  // namespace

Work copy_work(int64_t n, DType dtype) {
  // No verb copies what it need not; the node of the "copy" that reading a view makes does.
  return over_vectors_in(
      dtype, "copy", n, 1, Fill::uniform,
      [dtype](const Tensors& x) {
        return Tensors{Tensor(make_elementwise(Op::copy, dtype, {x[0].node(), nullptr, nullptr}))};
      },
      0, 0);
}

Work exp_work(int64_t n, DType dtype) {
  return over_vectors_in(
      dtype, "exp", n, 1, Fill::signed_uniform, [](const Tensors& x) { return Tensors{exp(x[0])}; }, 1,
      tolerance_in(dtype, 1e-6));
}

Work mul_work(int64_t n, DType dtype) {
  return over_vectors_in(
      dtype, "mul", n, 2, Fill::uniform, [](const Tensors& x) { return Tensors{x[0] * x[1]}; }, 1, 0);
}

Work where_work(int64_t n) {
  return over_vectors(
      "where", {{{n}, Fill::mask}, {{n}}, {{n}}}, [](const Tensors& x) { return Tensors{where(x[0], x[1], x[2])}; },
      3.25, 0, 0);
}

Work greater_work(int64_t n) {
  return over_vectors(
      "greater", {{{n}}, {{n}}}, [](const Tensors& x) { return Tensors{gt(x[0], x[1])}; }, 2.25, 1, 0);
}

Work where_compare_work(int64_t n) {
  return over_vectors(
      "where_compare", {{{n}}, {{n}}}, [](const Tensors& x) { return Tensors{where(gt(x[0], x[1]), x[0], x[1])}; }, 3,
      1, 0);
}

Work mul_transposed_work(int64_t n) {
  Work work = work_of("mul_transposed_reshaped/" + size_text(Shape{n, n}), {{{n, n}}, {{n, n}}},
                      [n](const Tensors& x) {
                        return Tensors{x[0] * x[1].reshape({n * n / 16, 16}).transpose(0, 1).reshape({n, n})};
                      },
                      {{-1, -1}, -1, 0, 0});
  work.bytes = f32_bytes(3 * static_cast<double>(n * n));
  work.operations = static_cast<double>(n * n);
  return work;
}

Work momentum_work(int64_t n) {
  return over_vectors(
      "momentum", {{{n}, Fill::normal}, {{n}, Fill::normal}, {{n}, Fill::normal}},
      [](const Tensors& x) {
        const Tensor velocity = x[1] * 0.9F + x[2];
        return Tensors{x[0] - velocity * 0.01F, velocity};
      },
      5, 4, 1e-6, 1e-6);
}

Work adam_work(int64_t n) {
  return over_vectors(
      "adam", {{{n}, Fill::normal}, {{n}, Fill::normal}, {{n}, Fill::uniform}, {{n}, Fill::normal}},
      [](const Tensors& x) {
        const Tensor &gradient = x[3], mean = x[1] * 0.9F + gradient * 0.1F,
                     square = x[2] * 0.999F + gradient * gradient * 0.001F;
        return Tensors{x[0] - mean * 0.001F / (sqrt(square) + 1e-8F), mean, square};
      },
      7, 12, 1e-6, 1e-6);
}

Work add_row_work(int64_t n) {
  return added("add_row", n, {{n}}, -1, [](const Tensors& x) { return Tensors{x[0] + x[1]}; });
}

Work add_column_work(int64_t n) {
  return added("add_column", n, {{n, 1}}, 0, [](const Tensors& x) { return Tensors{x[0] + x[1]}; });
}

Work add_permuted_work(int64_t n) {
  return added("add_permuted", n, {{n, n}}, 1, [](const Tensors& x) { return Tensors{x[0] + x[1].transpose(0, 1)}; });
}

}  // namespace eglantine::perf

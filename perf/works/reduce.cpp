#include "perf/works/works.hpp"

namespace eglantine::perf {

namespace {

double elements_of(const Shape& shape) { return static_cast<double>(shape.elements()); }

/// Reads every operand of the shape, writes `written` elements.
Work reading(const std::string& name, const Shape& shape, int operands, const Operand& like, Verb verb, Check check,
             double written, double operations) {
  const DType dtype = like.dtype.value_or(DType::f32);
  const std::string size = shape.rank() == 1 ? size_text(shape[0]) : size_text(shape);
  Operand operand = like;
  operand.shape = shape;
  Work work = work_of(name_in(dtype, name) + "/" + size, std::vector<Operand>(static_cast<size_t>(operands), operand),
                      std::move(verb), std::move(check));
  work.bytes = static_cast<double>(size_of(dtype)) * (operands * elements_of(shape) + written);
  work.operations = operations * elements_of(shape);
  return work;
}

Work reading(const std::string& name, const Shape& shape, int operands, Fill fill, Verb verb, Check check,
             double written, double operations) {
  return reading(name, shape, operands, Operand{{}, fill}, std::move(verb), std::move(check), written, operations);
}

/// Rows in, rows of the same length out.
Work over_rows(const std::string& name, const Shape& shape, Verb verb, double operations, DType dtype = DType::f32) {
  return reading(name, shape, 1, in_dtype(dtype, {}, Fill::normal), std::move(verb),
                 {{0}, 0, tolerance_in(dtype, 2e-6), 2e-6}, elements_of(shape), operations);
}

}  // namespace

Work sum_work(int64_t n, DType dtype) {
  // An f16 holds no sum of many numbers of one sign.
  const Fill fill = dtype == DType::f32 ? Fill::uniform : Fill::signed_uniform;
  return reading(
      "sum", {n}, 1, in_dtype(dtype, {}, fill), [](const Tensors& x) { return Tensors{sum(x[0])}; },
      {{-1}, -1, tolerance_in(dtype, 1e-6), 0}, 1, 1);
}

Work max_work(int64_t n) {
  return reading(
      "max", {n}, 1, Fill::signed_uniform, [](const Tensors& x) { return Tensors{max(x[0])}; }, {{-1}, -1, 0, 0}, 1, 1);
}

Work sum_axis_work(Shape shape, int axis, DType dtype) {
  // Cut along another axis, which keeps its place or moves up by one.
  const int other = axis == 0 ? 1 : 0;
  const double written = elements_of(shape) / static_cast<double>(shape[axis]);
  return reading(
      "sum_axis" + std::to_string(axis), shape, 1, in_dtype(dtype, {}),
      [axis](const Tensors& x) { return Tensors{sum(x[0], {axis})}; }, {{other}, 0, tolerance_in(dtype, 1e-5), 0},
      written, 1);
}

Work argmax_work(Shape shape) {
  const double rows = elements_of(shape) / static_cast<double>(shape[shape.rank() - 1]);
  return reading(
      "argmax", shape, 1, Fill::signed_uniform, [](const Tensors& x) { return Tensors{argmax(x[0], -1)}; },
      {{0}, 0, 0, 0}, rows, 1);
}

Work tile_sum_work(int64_t side) {
  constexpr int64_t tile = 16;
  const double tiles = static_cast<double>(side / tile) * static_cast<double>(side / tile);
  return reading(
      "tile_sum", {side, side}, 1, Fill::uniform,
      [](const Tensors& x) {
        return Tensors{PartitionView(x[0], {tile, tile}).sum()};
      },
      {{-1}, -1, 1e-5, 0}, tiles, 1);
}

Work fused_sum_work(int64_t n) {
  return reading(
      "exp_mul_add_sum", {n}, 2, Fill::uniform, [](const Tensors& x) { return Tensors{sum(exp(x[0] * x[1] + x[0]))}; },
      {{-1, -1}, -1, 1e-5, 0}, 1, 4);
}

Work softmax_work(Shape shape, DType dtype) {
  return over_rows(
      "softmax", shape, [](const Tensors& x) { return Tensors{softmax(x[0], -1)}; }, 4, dtype);
}

Work log_softmax_work(Shape shape) {
  return over_rows(
      "log_softmax", shape, [](const Tensors& x) { return Tensors{log_softmax(x[0], -1)}; }, 4);
}

Work logsumexp_work(Shape shape) {
  const double rows = elements_of(shape) / static_cast<double>(shape[shape.rank() - 1]);
  return reading(
      "logsumexp", shape, 1, Fill::normal, [](const Tensors& x) { return Tensors{logsumexp(x[0], {-1})}; },
      {{0}, 0, 2e-6, 2e-6}, rows, 4);
}

Work softmax_axis0_work(Shape shape) {
  // Columns are cut for the check.
  return reading(
      "softmax_axis0", shape, 1, Fill::normal, [](const Tensors& x) { return Tensors{softmax(x[0], 0)}; },
      {{1}, 1, 2e-6, 2e-6}, elements_of(shape), 4);
}

Work var_work(Shape shape) {
  const double rows = elements_of(shape) / static_cast<double>(shape[shape.rank() - 1]);
  return reading(
      "var", shape, 1, Fill::normal, [](const Tensors& x) { return Tensors{var(x[0], {-1})}; }, {{0}, 0, 1e-4, 0}, rows,
      4);
}

}  // namespace eglantine::perf

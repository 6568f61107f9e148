#include "verbs/build.hpp"

#include "graph/graph_lock.hpp"
#include "layout/layout.hpp"
#include "layout/permutation.hpp"
#include "verbs/constant_folding.hpp"
#include "verbs/reduce/memory_order.hpp"

namespace eglantine::verbs {

Tensor to_tensor(std::string_view function, const Operand& operand, const Tensor& beside) {
  if (operand.tensor() != nullptr) return *operand.tensor();
  const DType dtype = operand.scalar()->dtype_beside(beside.dtype());
  // In the shape that it would be broadcast to, which saves a view.
  return Tensor(make_constant(beside.node()->device, dtype, beside.shape(),
                              operand.scalar()->bits(dtype, function, "; convert the tensor with astype")));
}

namespace {

std::pair<Tensor, Tensor> as_given(std::string_view function, const Operand& a, const Operand& b) {
  if (a.tensor() != nullptr) return {*a.tensor(), to_tensor(function, b, *a.tensor())};
  if (b.tensor() != nullptr) return {to_tensor(function, a, *b.tensor()), *b.tensor()};
  const Tensor number = zeros({}, check::common_dtype(function, a.scalar()->dtype(), b.scalar()->dtype()));
  return {to_tensor(function, a, number), to_tensor(function, b, number)};
}

}  // namespace

std::pair<Tensor, Tensor> to_tensors(std::string_view function, const Operand& a, const Operand& b) {
  std::pair<Tensor, Tensor> given = as_given(function, a, b);
  const DType dtype = check::common_dtype(function, given.first.dtype(), given.second.dtype());
  for (Tensor* x : {&given.first, &given.second})
    if (x->dtype() != dtype) *x = x->astype(dtype);
  return given;
}

Tensor to_real(const Tensor& x) { return x.astype(real_dtype(x)); }

Tensor to_counted(const Tensor& x) { return is_float(x.dtype()) || x.dtype() == DType::u32 ? x : x.astype(DType::i32); }

Tensor widened(const Tensor& x) { return x.astype(computed_type(x.dtype())); }

Tensor to_f32(const Tensor& x) { return x.astype(DType::f32); }

DType real_dtype(const Tensor& x) { return is_float(x.dtype()) ? x.dtype() : DType::f32; }

DType real_dtype(std::initializer_list<Tensor> tensors) {
  DType dtype = DType::boolean;  // meets each float in that float
  for (const Tensor& x : tensors)
    if (x.defined() && is_float(x.dtype())) dtype = result_type(dtype, x.dtype());
  return is_float(dtype) ? dtype : DType::f32;
}

Reals to_reals(std::string_view function, const Operand& a, const Operand& b) {
  const auto [x, y] = as_given(function, a, b);
  check::common_dtype(function, x.dtype(), y.dtype());
  return {to_f32(x), to_f32(y), real_dtype({x, y})};
}

Shape reduced_shape(const Shape& shape, const Axes& axes, bool keepdims) {
  Shape kept;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!axes.contains(i) || keepdims) kept.push_back(axes.contains(i) ? 1 : shape[i]);
  }
  return kept;
}

Axes reduction_axes(std::string_view function, const Axes& axes, const Shape& shape) {
  const Axes checked = check::axes_of(function, axes, shape);
  check::require_countable(function, reduced_shape(shape, checked, false));
  return checked;
}

int64_t count_over(std::string_view function, const Shape& shape, const Axes& axes) {
  Shape reduced;
  for (int64_t axis : axes) reduced.push_back(shape[static_cast<int>(axis)]);
  return check::elements_of(function, reduced);
}

void require_nonempty(std::string_view function, const Tensor& x, const Axes& axes) {
  if (count_over(function, x.shape(), axes) == 0)
    check::fail<ShapeError>(function, "of nothing: shape ", to_string(x.shape()), " has no elements along axes ",
                            to_string(axes));
}

int64_t count_of_steps(int64_t from, int64_t to, int64_t step) {
  const int64_t distance = step > 0 ? to - from : from - to;
  if (distance <= 0) return 0;
  // The smallest int64_t has no negative.
  const uint64_t size = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  return static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / size + 1);
}

NodePtr broadcast(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x.node();
  return make_view(x.node(), layout::expand(layout::contiguous(x.shape()), shape));
}

bool is_gpu(const Device& device) { return device.info().kind != "cpu" && !device.info().software; }

Tensor iota(const Device& device, const Shape& shape) { return Tensor(make_iota(device.state(), shape)); }

Tensor elementwise(Op op, const Tensor& x) {
  const OpInfo& row = info_of(op);
  check::require_types(row.name, row.types, x.dtype());
  if (const std::optional<Tensor> constant = folded(op, x, x, x.shape())) return *constant;
  const auto of = [&](const Tensor& at, int = 0) {
    return pend(make_elementwise(op, result_of(row.result, at.dtype()), {at.node(), nullptr, nullptr}));
  };
  // A function of a transposed tensor lies as that does: its kernel neither reads nor writes across memory.
  return x.node()->is_traced() ? of(x) : in_memory_order(x, 0, of);
}

namespace {

/// Whether any order serves x beside a shape that it is broadcast to: a number, or what is so much smaller. On a GPU it
/// is in memory: a row kernel that x's reductions belong to goes through its operands as they lie.
bool is_small(const Tensor& x, const Shape& shape) {
  const bool of_gpu = is_gpu(x.device());
  const int64_t times = of_gpu ? 8 : 2;
  const GraphLock lock;
  if (x.node()->as<nodes::Constant>()) return true;
  if (x.size() * times > shape.elements()) return false;
  const auto* view = x.node()->as<nodes::View>();
  return !of_gpu || (view != nullptr ? *view->source : *x.node()).is_computed();
}

/// The order in memory of both operands of a result of this shape, or of one beside which the other is small.
std::optional<Axes> order_of_both(const Tensor& x, const Tensor& y, const Shape& shape) {
  // Of fewer the host takes longer for a formula's views than a GPU's kernel gains: on an H200 a polynomial of 794,820
  // 12 us, and so 25; bias_gelu of 6 million 23 and 50, of 23 million 88 and 54.
  constexpr int64_t fewest_of_gpu = int64_t{1} << 24;
  const int64_t fewest = is_gpu(x.device()) ? fewest_of_gpu : 0;  // order_in_memory() has its own
  if (shape.elements() < fewest || x.node()->is_traced() || y.node()->is_traced()) return std::nullopt;
  const auto order_of = [&](const Tensor& a) { return a.shape() == shape ? order_in_memory(a) : std::nullopt; };
  const std::optional<Axes> of_x = order_of(x), of_y = order_of(y);
  if (of_x && of_y) return of_x == of_y ? of_x : std::nullopt;
  if (of_x) return is_small(y, shape) ? of_x : std::nullopt;
  return of_y && is_small(x, shape) ? of_y : std::nullopt;
}

}  // namespace

Tensor elementwise(Op op, const Tensor& x, const Tensor& y) {
  const OpInfo& row = info_of(op);
  check::require_same_device(row.name, x, y);
  check::require_types(row.name, row.types, x.dtype());
  const Shape shape = check::require_broadcast(row.name, x.shape(), y.shape());
  if (const std::optional<Tensor> constant = folded(op, x, y, shape)) return *constant;
  const auto of = [&](const NodePtr& a, const NodePtr& b) {
    return pend(make_elementwise(op, result_of(row.result, x.dtype()), {a, b, nullptr}));
  };
  const NodePtr a = broadcast(x, shape), b = broadcast(y, shape);
  // As a function of one transposed tensor, one of it and of a bias, a number, or what is made of it.
  const std::optional<Axes> order = order_of_both(x, y, shape);
  if (!order) return of(a, b);
  return of(Tensor(a).permute(*order).node(), Tensor(b).permute(*order).node()).permute(layout::inverse_of(*order));
}

Tensor plus_product(const Tensor& sum, const Tensor& x, const Tensor& y) {
  if (!is_float(sum.dtype())) return sum + x * y;
  const Shape& shape = sum.shape();
  return pend(make_elementwise(Op::multiply_add, sum.dtype(), {broadcast(x, shape), broadcast(y, shape), sum.node()}));
}

}  // namespace eglantine::verbs

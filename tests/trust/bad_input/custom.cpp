#include "support/custom_ops.hpp"
#include "trust/bad_input/row.hpp"

/// Users' own operations. What their GLSL may not hold is in tests/verbs/bad_custom_test.cpp, word by word.
namespace eglantine::test::bad_input {
namespace {

ElementwiseOp mine(const std::string& glsl, int arity = 1) {
  return {"mine", arity, glsl, [](std::span<const float> x) { return x[0]; }};
}

/// `use` of an operation without one of its parts.
template <class Op>
void add_parts(Rows& rows, const std::string& name, const Op& whole, const std::string& example,
               const std::function<void(const Op&)>& use) {
  const auto without = [&](const std::string& what, const std::function<void(Op&)>& spoil, const std::string& message) {
    Op op = whole;
    spoil(op);
    rows.push_back(row<Error>(
        name, what, [=] { use(op); }, "[" + name + "] " + message));
  };
  const std::string called = "\"" + whole.name + "\"";
  const std::string one = ": give one expression, such as \"" + example + "\"";
  without(
      "no name", [](Op& op) { op.name.clear(); }, "the operation has no name; explain() and errors want one");
  without(
      "a name of two lines", [](Op& op) { op.name = "a\nb"; }, "the operation's name has a control character");
  without(
      "no cpu function", [](Op& op) { op.cpu = nullptr; },
      called + " has no cpu function; it must run on every device");
  without(
      "no GLSL", [](Op& op) { op.glsl.clear(); }, "the GLSL of " + called + " is empty" + one);
  without(
      "two statements", [](Op& op) { op.glsl += "; 1.0"; }, "the GLSL of " + called + " has a ';'" + one);
}

void add_elementwise_custom(Rows& rows) {
  add_parts<ElementwiseOp>(rows, "elementwise", swish(), "max(x0, 0.0)",
                           [](const ElementwiseOp& op) { elementwise(op, {of({3})}); });
  add_parts<ElementwiseOp>(rows, "check_op", swish(), "max(x0, 0.0)", [](const ElementwiseOp& op) { check_op(op); });
  for (int arity : {0, -1, 9}) {
    const std::string rest = "\"mine\" has an arity of " + std::to_string(arity) + "; it must be from 1 to 8";
    rows.push_back(row<Error>(
        "elementwise", "an arity of " + std::to_string(arity),
        [=] { return elementwise(mine("x0", arity), {of({3})}); }, "[elementwise] " + rest));
    rows.push_back(row<Error>(
        "check_op", "an arity of " + std::to_string(arity), [=] { check_op(mine("x0", arity)); },
        "[check_op] " + rest));
  }
  rows.insert(rows.end(), {row<Error>(
                               "elementwise", "too few tensors", [] { return elementwise(mine("x0", 2), {of({3})}); },
                               "[elementwise] \"mine\" takes 2 tensors, got 1"),
                           row<Error>(
                               "elementwise", "too many tensors",
                               [] {
                                 return elementwise(mine("x0"), {of({3}), of({3})});
                               },
                               "[elementwise] \"mine\" takes 1 tensors, got 2"),
                           row<Error>(
                               "elementwise", "no tensors", [] { return elementwise(mine("x0"), {}); },
                               "[elementwise] \"mine\" takes 1 tensors, got 0")});
  const OfTwo both = [](const Tensor& x, const Tensor& y) { return elementwise(mine("x0", 2), {x, y}); };
  add_dtypes(
      rows, "elementwise", [](const Tensor& x) { return elementwise(mine("x0"), {x}); }, Types::real);
  add_broadcast(rows, "elementwise", both);
  add_two_devices(rows, "elementwise", both);
  add_moved_from(rows, "elementwise", [=](const Tensor& x) { return both(of({3}), x); });
}

void add_combinations(Rows& rows) {
  add_parts<ReduceOp>(rows, "reduce", plus(), "max(a, b)", [](const ReduceOp& op) { reduce(of({3}), op); });
  add_parts<ReduceOp>(rows, "scan", plus(), "max(a, b)", [](const ReduceOp& op) { scan(of({3}), op, 0); });
  add_parts<ReduceOp>(rows, "check_op", plus(), "max(a, b)", [](const ReduceOp& op) { check_op(op); });
  const OfOne reduced = [](const Tensor& x) { return reduce(x, plus()); };
  const OfOne scanned = [](const Tensor& x) { return scan(x, plus(), 0); };
  add_axes(rows, "reduce", [](const Tensor& x, Axes axes) { return reduce(x, plus(), axes); });
  add_axis(rows, "scan", [](const Tensor& x, int axis) { return scan(x, plus(), axis); });
  add_dtypes(rows, "reduce", reduced, Types::real);
  add_dtypes(rows, "scan", scanned, Types::real);
  add_moved_from(rows, "reduce", reduced);
  add_moved_from(rows, "scan", scanned);
}

}  // namespace

void add_custom(Rows& rows) {
  add_elementwise_custom(rows);
  add_combinations(rows);
}

}  // namespace eglantine::test::bad_input

#include "trust/bad_input/row.hpp"

/// Reductions, softmax and its like.
namespace eglantine::test::bad_input {
namespace {

struct Reduction {
  std::string name;
  Tensor (*call)(const Tensor& x, Axes axes, bool keepdims);
  bool of_something = false;  ///< has no value over nothing
};

Tensor variance(const Tensor& x, Axes axes, bool keepdims) { return var(x, axes, keepdims); }

const std::vector<Reduction> reductions = {{"sum", sum},       {"prod", prod},       {"max", max, true},
                                           {"min", min, true}, {"mean", mean, true}, {"var", variance, true},
                                           {"any", any},       {"all", all},         {"logsumexp", logsumexp}};

void add_of_nothing(Rows& rows, const std::string& name, const OfOne& call, const std::string& axes) {
  rows.push_back(row<ShapeError>(
      name, "over nothing",
      [=] {
        return call(of({2, 0}));
      },
      "[" + name + "] of nothing: shape (2, 0) has no elements along axes " + axes));
}

void add_positions(Rows& rows, const std::string& name, Tensor (*call)(const Tensor&, int, bool)) {
  add_axis(rows, name, [=](const Tensor& x, int axis) { return call(x, axis, false); });
  add_of_nothing(
      rows, name, [=](const Tensor& x) { return call(x, 1, true); }, "(1,)");
  add_moved_from(rows, name, [=](const Tensor& x) { return call(x, 0, false); });
  rows.push_back(row<ShapeError>(
      name, "an axis too long for its index", [=] { return call(huge({int64_t{1} << 31}), -1, false); },
      "[" + name + "] axis 0 of (2147483648,) is longer than i32 places reach, 2^31 - 1; work on slices of it"));
}

}  // namespace

void add_reductions(Rows& rows) {
  for (const auto& [name, call, of_something] : reductions) {
    const OverAxes over = [call = call](const Tensor& x, Axes axes) { return call(x, axes, false); };
    const OfOne all_of = [call = call](const Tensor& x) { return call(x, {}, true); };
    add_axes(rows, name, over);
    add_moved_from(rows, name, all_of);
    if (of_something) add_of_nothing(rows, name, all_of, "(0, 1)");
  }
  add_positions(rows, "argmax", argmax);
  add_positions(rows, "argmin", argmin);
  for (const auto& [name, call] : std::vector<std::pair<std::string, Tensor (*)(const Tensor&, int)>>{
           {"softmax", softmax}, {"log_softmax", log_softmax}}) {
    const OfOne along_first = [call = call](const Tensor& x) { return call(x, 0); };
    add_axis(rows, name, call);
    add_moved_from(rows, name, along_first);
  }
  const OfTwo products = [](const Tensor& x, const Tensor& y) { return multiply_sum(x, y, {}); };
  const std::string name = "multiply_sum";
  add_axes(rows, name, [](const Tensor& x, Axes axes) { return multiply_sum(x, x, axes); });
  add_dtypes(
      rows, name, [](const Tensor& x) { return multiply_sum(x, x, {}); }, Types::numeric);
  add_differing_dtypes(rows, name, products);
  add_broadcast(rows, name, products);
  add_two_devices(rows, name, products);
  add_moved_from(rows, name, [](const Tensor& x) { return multiply_sum(x, x, {}); });
}

}  // namespace eglantine::test::bad_input

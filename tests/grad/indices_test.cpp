#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Derivatives of what meets at one index.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, AtIndices);

using Floats = std::vector<float>;

Tensor vector_of(const Floats& values) { return Tensor::from(values, {static_cast<int64_t>(values.size())}); }
Tensor i32_index(const std::vector<int32_t>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

/// The derivatives of sum(f(x, updates) * (1, 2, 3, ...)).
Tensors slopes_of(const std::function<Tensor(const Tensor& x, const Tensor& updates)>& f, const Tensor& x,
                  const Tensor& updates) {
  const auto total = [&](const Tensors& at) {
    const Tensor y = f(at[0], at[1]);
    return sum(y * arange(1, y.size() + 1).astype(DType::f32));
  };
  return grad(total, {x, updates});
}

void expect(const Tensors& found, const Floats& by_x, const Floats& by_updates) {
  EXPECT_EQ(found[0].astype(DType::f32).to_vector<float>(), by_x);
  EXPECT_EQ(found[1].astype(DType::f32).to_vector<float>(), by_updates);
}

/// Element 0 is met by an equal and a smaller one, 1 by two equal larger ones, 2 by none, 3 by a larger one from the
/// end.
EG_TEST(AtIndices, largest_share_equally) {
  const Tensor index = i32_index({0, 1, 1, 0, -1}), x = vector_of({5, 1, 7, 2}), u = vector_of({5, 4, 4, 3, 8});
  const auto f = [&](const Tensor& at, const Tensor& updates) { return scatter_max(at, 0, index, updates); };
  expect(slopes_of(f, x, u), {0.5F, 0, 3, 0}, {0.5F, 1, 1, 0, 4});
  const auto g = [&](const Tensor& at, const Tensor& updates) { return -scatter_min(-at, 0, index, -updates); };
  expect(slopes_of(g, x, u), {0.5F, 0, 3, 0}, {0.5F, 1, 1, 0, 4});
  expect(slopes_of(f, x.astype(DType::f16), u.astype(DType::f16)), {0.5F, 0, 3, 0}, {0.5F, 1, 1, 0, 4});
}

EG_TEST(AtIndices, largest_of_segments_share_equally) {
  const Tensor x = vector_of({5, 4, 5, 1, 2}), segments = i32_index({0, 2, 0, 2, 3});
  const auto f = [&](const Tensor& at, const Tensor&) { return segment_max(at, segments, 5); };
  EXPECT_EQ(slopes_of([&](const Tensor& at, const Tensor& u) { return f(at, u).index_put({1}, 0).index_put({4}, 0); },
                      x, x)[0]
                .to_vector<float>(),
            (Floats{0.5F, 3, 0.5F, 0, 4}));
}

/// Element 0 of no zero, 1 is the zero of its product, 2 has a zero beside it, 3 and an update are both zero.
EG_TEST(AtIndices, factors_get_the_product_of_the_others) {
  const Tensor index = i32_index({0, 0, 1, 2, 2, 3}), x = vector_of({2, 0, 5, 0}), u = vector_of({3, 4, 7, 0, 6, 0});
  const auto f = [&](const Tensor& at, const Tensor& updates) { return scatter_mul(at, 0, index, updates); };
  expect(slopes_of(f, x, u), {12, 14, 0, 0}, {8, 6, 0, 90, 0, 0});
}

EG_TEST(AtIndices, of_several_writes_the_last_has_the_derivative) {
  const Tensor index = i32_index({1, 1, 3, 1}), x = vector_of({1, 2, 3, 4}), u = vector_of({5, 6, 7, 8});
  const auto put = [&](const Tensor& at, const Tensor& updates) { return scatter(at, 0, index, updates); };
  expect(slopes_of(put, x, u), {1, 0, 3, 0}, {0, 0, 4, 2});
  const auto by_index = [&](const Tensor& at, const Tensor& updates) { return at.index_put({index}, updates); };
  expect(slopes_of(by_index, x, u), {1, 0, 3, 0}, {0, 0, 4, 2});
  const auto nd = [&](const Tensor& at, const Tensor& updates) { return scatter_nd(at, index.unsqueeze(1), updates); };
  expect(slopes_of(nd, x, u), {1, 0, 3, 0}, {0, 0, 4, 2});
}

EG_TEST(AtIndices, have_derivatives_themselves) {
  const Tensor x = uniform({4, 2}, 1) + 0.5, u = uniform({3, 2}, 2) + 0.5,
               index = i32_index({0, 2, 0, 2, 3, 1}).reshape({3, 2});
  for (const auto& verb : {scatter_mul, scatter_max, scatter_min, scatter_add, scatter}) {
    const Function f = [&](const Tensors& at) { return Tensors{square(verb(at[0], 0, index, at[1]))}; };
    EXPECT_NO_THROW(check_gradients(f, {x, u}));
    const Function slopes = [&](const Tensors& at) { return grad([&](const Tensors& y) { return sum(f(y)[0]); }, at); };
    EXPECT_NO_THROW(check_gradients(slopes, {x, u}, 1e-2, 5e-2));
  }
}

}  // namespace
}  // namespace eglantine::test

#include "eglantine/tensor.hpp"

#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include "eglantine/ops.hpp"
#include "eglantine/tile.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Tensor, From);
EG_ON_EACH_DEVICE(Tensor, CopyTo);
EG_ON_EACH_DEVICE(Tensor, Eval);
EG_ON_EACH_DEVICE(Tensor, To);

template <class T>
using Evaluated = decltype(std::declval<T>().eval());
static_assert(std::is_same_v<Evaluated<Tensor>, Tensor>, "a temporary gives a handle that outlives it");
static_assert(std::is_same_v<Evaluated<Tensor&>, const Tensor&> &&
              std::is_same_v<Evaluated<const Tensor&>, const Tensor&>);
template <class T>
using Shaped = decltype(std::declval<T>().shape());
static_assert(std::is_same_v<Shaped<Tensor>, eglantine::Shape> &&
              std::is_same_v<Shaped<const Tensor&>, const eglantine::Shape&>);
static_assert(std::is_same_v<decltype(std::declval<PartitionView>().tile_shape()), eglantine::Shape> &&
              std::is_same_v<decltype(std::declval<PartitionView>().tensor()), Tensor>);

EG_TEST(Eval, of_a_temporary_outlives_it) {
  const Tensor& y = (ones({3}) + 1).eval();
  int64_t elements = 1;
  for (const int64_t length : (ones({2, 5}) + 1).shape()) elements *= length;
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(elements, 10);
}

EG_TEST(From, keeps_every_dtype_and_shape) {
  for (DType dtype : every_dtype)
    for (const Dims& shape : every_shape()) {
      const Array x = random_array(dtype, shape);
      const Tensor held = upload(x);
      EXPECT_TRUE(matches(held, x)) << name_of(dtype) << text(shape);
      EXPECT_EQ(held.rank(), x.rank());
      EXPECT_EQ(held.size(), x.size());
      EXPECT_EQ(held.device(), device());
    }
}

EG_TEST(From, spans_vectors_and_lists) {
  std::array<float, 2> values{1, 2};
  EXPECT_EQ(Tensor::from(std::span<float>(values), {2}).to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(Tensor::from(std::span<const float>(values), {2, 1}).shape(), (eglantine::Shape{2, 1}));
  EXPECT_EQ(Tensor::from(std::vector<bool>{true, false, true}, {3}).to_vector<bool>(),
            (std::vector<bool>{true, false, true}));
  EXPECT_EQ(Tensor::from({3U}, {}).item<uint32_t>(), 3U);
  EXPECT_EQ(Tensor::from({1, 2, 3, 4}, {2, 2}, device(), MemoryOrder::column_major).to_vector<int32_t>(),
            (std::vector<int32_t>{1, 3, 2, 4}));
}

EG_TEST(From, keeps_the_bits_of_special_floats) {
  const std::vector<float> special = {0.0F, -0.0F, INFINITY, -INFINITY, 3.4028235e38F, 1.17549435e-38F};
  const std::vector<float> back = Tensor::from(special, {6}).to_vector<float>();
  for (size_t i = 0; i < special.size(); ++i) {
    EXPECT_EQ(back[i], special[i]);
    EXPECT_EQ(std::signbit(back[i]), std::signbit(special[i]));
  }
}

EG_TEST(CopyTo, both_memory_orders_of_every_view) {
  for (const Dims& shape : {Dims{5, 13, 3}, Dims{13}, Dims{}, Dims{2, 0}})
    for (const View& view : every_view()) {
      SCOPED_TRACE(view.name + " " + text(shape));
      const Sample x = view.hold(random_array(DType::f32, shape));
      Array rows{DType::f32, shape, {}};
      std::vector<float> out(static_cast<size_t>(count(shape)));
      x.tensor.copy_to(std::span<float>(out));
      rows.values.assign(out.begin(), out.end());
      EXPECT_TRUE(matches(rows, x.array));
      x.tensor.copy_to(std::span<float>(out), MemoryOrder::column_major);
      std::vector<int64_t> axes;
      for (int64_t axis = rows.rank(); axis-- > 0;) axes.push_back(axis);
      Array columns = naive::permute(x.array, axes);
      rows.values.assign(out.begin(), out.end());
      rows.shape = columns.shape;
      EXPECT_TRUE(matches(rows, columns));
    }
}

EG_TEST(CopyTo, item_of_single_elements) {
  EXPECT_EQ(Tensor::from({7}, {1, 1, 1}).item<int32_t>(), 7);
  EXPECT_EQ(Tensor::from({1, 2, 3}, {3}).slice(0, 1, 2).item<int32_t>(), 2);
  EXPECT_EQ(sum(Tensor::from({1, 2, 3}, {3})).item<int32_t>(), 6);
}

EG_TEST(Eval, changes_no_value_and_may_be_repeated) {
  const Array x = random_array(DType::f32, {13, 7});
  const Tensor y = neg(upload(x)).transpose(0, 1);
  EXPECT_EQ(&y.eval(), &y);
  y.eval();
  EXPECT_TRUE(matches(neg(y), naive::transpose(x, 0, 1)));
  eval({y, y, neg(y)});
  eval(std::vector<Tensor>{});
  zeros({0, 3}).eval();
  EXPECT_EQ(download(y).shape, (Dims{7, 13}));
}

EG_TEST(To, moves_every_view_to_every_device_and_back) {
  for (const std::string& spec : device_specs())
    for (const View& view : every_view()) {
      SCOPED_TRACE(view.name + " to " + spec);
      const Device other = open_device(spec);
      const Sample x = view.hold(random_array(DType::f32, {13, 7}));
      const Tensor there = x.tensor.to(other);
      EXPECT_EQ(there.device(), other);
      EXPECT_TRUE(matches(there, x.array));
      EXPECT_TRUE(matches(neg(there).to(device()), naive::map(x.array, DType::f32, [](double v) { return -v; })));
    }
}

EG_TEST(To, keeps_every_dtype_and_nothing) {
  for (const std::string& spec : device_specs())
    for (DType dtype : every_dtype)
      for (const Dims& shape : {Dims{}, Dims{0, 3}, Dims{1025}}) {
        const Array x = random_array(dtype, shape);
        EXPECT_TRUE(matches(upload(x).to(open_device(spec)), x));
      }
}

}  // namespace
}  // namespace eglantine::test

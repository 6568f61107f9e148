#include "support/devices.hpp"
#include "support/reference/order.hpp"
#include "support/shapes.hpp"
#include "support/views.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Order, SortByKey);

void expect_pairs(const Tensor& keys, const Array& k, const Tensor& values, const Array& v, bool descending = false) {
  const naive::Sorted expected = naive::sort(k, -1, descending);
  const auto [sorted, moved] = sort_by_key(keys, values, descending);
  EXPECT_TRUE(matches(sorted, expected.keys, bitwise));
  EXPECT_TRUE(matches(moved, naive::at_places(v, expected.places), bitwise));
}

EG_TEST(SortByKey, values_of_every_dtype) {
  for (DType dtype : every_dtype)
    for (const Dims& shape : {Dims{30, 77}, Dims{2, 7001}})
      for (bool descending : {false, true}) {
        SCOPED_TRACE(std::string(name_of(dtype)) + text(shape));
        const Array keys = random_array(DType::i32, shape), values = keys_with_ties(dtype, shape);
        expect_pairs(upload(keys), keys, upload(values), values, descending);
      }
}

EG_TEST(SortByKey, keys_of_every_dtype) {
  for (DType dtype : every_dtype)
    for (int64_t length : {50, 7001}) {
      const Array keys = random_array(dtype, {2, length}), values = iota(DType::u32, {2, length});
      expect_pairs(upload(keys), keys, upload(values), values);
    }
}

EG_TEST(SortByKey, special_keys_carry_their_values) {
  const Array keys = special_keys({2, 9001}), values = iota(DType::f32, {2, 9001});
  expect_pairs(upload(keys), keys, upload(values), values, true);
}

EG_TEST(SortByKey, views_of_keys_and_values) {
  const std::vector<View>& views = every_view();
  for (size_t i = 0; i < views.size(); ++i) {
    SCOPED_TRACE(views[i].name);
    const Sample keys = views[i].hold(random_array(DType::i32, {3, 300}));
    const Sample values = views[(i + 1) % views.size()].hold(random_array(DType::f32, {3, 300}, 2));
    expect_pairs(keys.tensor, keys.array, values.tensor, values.array);
  }
}

EG_TEST(SortByKey, a_tensor_by_itself_and_computed_values) {
  const Array x = random_array(DType::i32, {2, 7001});
  expect_pairs(upload(x), x, upload(x), x);
  const Array next = naive::map(x, DType::i32, [](double v) { return v + 1; });
  expect_pairs(upload(x) + 1, next, upload(x), x);
  expect_pairs(upload(x), x, upload(x) + 1, next);
}

EG_TEST(SortByKey, nothing_and_single_elements) {
  for (const Dims& shape : {Dims{0}, Dims{3, 0}, Dims{1}, Dims{3, 1}}) {
    const Array keys = random_array(DType::f32, shape), values = random_array(DType::boolean, shape);
    expect_pairs(upload(keys), keys, upload(values), values);
  }
}

}  // namespace
}  // namespace eglantine::test

#include <cstdlib>

#include "backend/device_state.hpp"
#include "backend/gl/gl_backend.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/reference/naive.hpp"

/// Sizes around limits of drivers or of 32 bits: one below, the limit, one above.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Boundary, Rows);
EG_ON_EACH_DEVICE(Boundary, Trips);
EG_ON_EACH_DEVICE(Boundary, Reach);
EG_ON_EACH_DEVICE(Boundary, Pages);

/// A device whose storage blocks hold 64 KiB, so that their limit is cheap to reach.
class Blocks : public DeviceTest {
 protected:
  void SetUp() override {
    if (spec() == "cpu") return DeviceTest::SetUp();
    const char* before = std::getenv("EGLANTINE_MAX_BLOCK_BYTES");
    const std::string kept = before == nullptr ? "" : before;
    setenv("EGLANTINE_MAX_BLOCK_BYTES", std::to_string(block_bytes).c_str(), 1);
    const auto open = [spec = spec()] { return gl::open_backend(spec); };
    Device::set_current(Device(std::make_shared<DeviceState>(Queue::start(open))));
    kept.empty() ? unsetenv("EGLANTINE_MAX_BLOCK_BYTES") : setenv("EGLANTINE_MAX_BLOCK_BYTES", kept.c_str(), 1);
  }
  void TearDown() override { Device::set_current(open_device(spec())); }

  static constexpr int64_t block_bytes = 65536;
};

EG_SUITE(Boundary, Blocks, device_specs());

/// Small integers, whose sums are exact.
Array small_numbers(const Dims& shape) {
  return generate(DType::f32, shape, [i = 0](const Dims&) mutable { return i++ % 7 - 3; });
}

double doubled(double x) { return 2 * x; }

EG_TEST(Blocks, tensors_one_element_around_the_limit) {
  for (const int64_t bytes : {block_bytes - 4, block_bytes, block_bytes + 4}) {
    SCOPED_TRACE(bytes);
    const int64_t n = bytes / 4;
    const Array x = small_numbers({n}), same = naive::map(x, DType::f32, [](double v) { return v; });
    const Tensor held = upload(x);
    EXPECT_TRUE(matches(held, x));
    EXPECT_TRUE(matches(held * 2, naive::map(x, DType::f32, doubled)));
    EXPECT_TRUE(matches(held.flip({0}) + 0.0F, naive::flip(x, {0})));
    EXPECT_TRUE(matches(sum(held), naive::sum(x, {})));
    EXPECT_TRUE(matches(cumsum(held, 0), naive::cumsum(x, 0)));
    EXPECT_TRUE(matches(sort(held), naive::sort(x, 0).keys));
    EXPECT_TRUE(matches(take(held, arange(n - 1, -1, -1, DType::i32), 0), naive::flip(x, {0})));
    EXPECT_TRUE(matches(matmul(held.reshape({1, n}), held.reshape({n, 1})),
                        naive::matmul(Array{DType::f32, {1, n}, x.values}, Array{DType::f32, {n, 1}, x.values})));
    EXPECT_TRUE(matches(concatenate({held, held}, 0), naive::concatenate({same, same}, 0)));
  }
}

/// Families that use a group for each row or batch meet the smallest limit on groups, 65,535.
EG_TEST(Rows, as_many_as_groups_in_a_dispatch) {
  for (const int64_t rows : {65534, 65535, 65536}) {
    SCOPED_TRACE(rows);
    const Array x = small_numbers({rows, 3});
    const Tensor held = upload(x);
    EXPECT_TRUE(matches(sum(held, {1}), naive::sum(x, {1})));
    EXPECT_TRUE(matches(argmax(held, 1), naive::argmax(x, 1)));
    EXPECT_TRUE(matches(cumsum(held, 1), naive::cumsum(x, 1)));
    EXPECT_TRUE(matches(sort(held, 1), naive::sort(x, 1).keys));
    EXPECT_TRUE(matches(held.transpose(0, 1) + 0.0F, naive::permute(x, {1, 0})));
    const Array a{DType::f32, {rows, 1, 3}, x.values}, b{DType::f32, {rows, 3, 1}, x.values};
    EXPECT_TRUE(matches(matmul(upload(a), upload(b)), naive::matmul(a, b)));
  }
}

/// llvmpipe silently ends an invocation after 65,535 loop trips.
EG_TEST(Trips, as_many_as_an_invocation_may_make) {
  for (const int64_t trips : {65534, 65535, 65536, 4 * 65536 + 1}) {
    SCOPED_TRACE(trips);
    const Array x = small_numbers({trips, 2});
    const Tensor held = upload(x);
    EXPECT_TRUE(matches(sum(held, {0}), naive::sum(x, {0})));
    EXPECT_TRUE(matches(max(held, {0}), naive::max(x, {0})));
    EXPECT_TRUE(matches(argmin(held, 0), naive::argmin(x, 0)));
    EXPECT_TRUE(matches(cumsum(held, 0), naive::cumsum(x, 0)));
    EXPECT_TRUE(matches(matmul(held.transpose(0, 1), held), naive::matmul(naive::permute(x, {1, 0}), x)));
  }
}

/// Some devices put large tensors in other memory, in pages of 2 MiB, once there was one of 16 MiB.
EG_TEST(Pages, tensors_that_end_within_one) {
  constexpr int64_t half_page = 1 << 20;
  const Tensor large = Tensor::from(std::vector<float>(4 * half_page), {4 * half_page});
  ASSERT_GE(Device::current().memory().live, 16 * half_page);
  for (int64_t bytes = 4 * half_page; bytes <= 18 * half_page; bytes += half_page / 2) {
    SCOPED_TRACE(bytes);
    const int64_t rows = bytes / 4 / 3;
    std::vector<int32_t> values(static_cast<size_t>(3 * rows), 5), sums(values.size());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = 5 * (static_cast<int32_t>(i % 3) + 1);
    const Tensor scanned = cumsum(Tensor::from(values, {rows, 3}), 1);
    EXPECT_TRUE(scanned.to_vector<int32_t>() == sums);
    EXPECT_EQ(sum(scanned).item<int32_t>(), 30 * rows);
  }
}

EG_TEST(Reach, of_small_buffers_past_2_to_the_31_and_32) {
  const Tensor x = Tensor::from<float>({1, 2, 3}, {3});
  for (const int64_t far : {int64_t{1} << 31, int64_t{1} << 32}) {
    SCOPED_TRACE(far);
    const Tensor repeated = x.expand({2 * far, 3});
    const std::vector<float> three_rows{2, 3, 4, 2, 3, 4, 2, 3, 4};
    EXPECT_EQ((repeated.slice(0, far - 1, far + 2) + 1).to_vector<float>(), three_rows);
    EXPECT_EQ((repeated + 1).slice(0, far - 1, far + 2).to_vector<float>(), three_rows);
    EXPECT_EQ((repeated + 1).slice(0, -1, {}, -(far - 1)).to_vector<float>(), three_rows);
    EXPECT_EQ(sum(repeated.slice(0, 0, {}, far / 2), {0}).to_vector<float>(), (std::vector<float>{4, 8, 12}));
    EXPECT_EQ(repeated.permute({1, 0}).slice(1, far, far + 1).to_vector<float>(), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(matmul(repeated.slice(0, far, far + 1), x.reshape({3, 1})).item<float>(), 14);
  }
}

EG_TEST(Reach, of_values_that_depend_on_their_place) {
  const int64_t last = int64_t{1} << 32;
  const Tensor unit = eye(1 << 17);
  EXPECT_EQ(sum(unit.slice(0, -3, {}).slice(1, -5, {}), {1}).to_vector<float>(), (std::vector<float>{1, 1, 1}));
  const std::vector<float> at = uniform({last}, 9).slice(0, -4, {}).to_vector<float>();
  EXPECT_THROW(uniform({last + 1}, 9), ShapeError) << "so many draws has a seed";
  Device::set_current(Device::open("cpu"));
  EXPECT_EQ(at, uniform({last}, 9).slice(0, -4, {}).to_vector<float>());
  for (const int64_t other : {last / 2, int64_t{4}})
    EXPECT_NE(at, uniform({last}, 9).slice(0, other - 4, other).to_vector<float>()) << other;
}

}  // namespace
}  // namespace eglantine::test

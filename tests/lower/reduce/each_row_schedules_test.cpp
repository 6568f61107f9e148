#include <cmath>
#include <functional>

#include "eglantine/ops.hpp"
#include "lower/reduce/planned_reduce.hpp"
#include "support/random/random_data.hpp"

/// Reductions of what is made of pairs, an element of the row's and one of few others: an invocation takes whole rows.
/// The bits are the CPU's.
namespace eglantine::test {
namespace {

class EachRowSchedules : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }
  void SetUp() override { Device::set_current(Device::open("cpu")); }

  using Verb = std::function<Tensor(const Tensor&, const Tensor&)>;

  /// Of `rows` points and `few` others, of f coordinates each, on a GPU with so many resident invocations.
  static void check(const Verb& verb, int64_t rows, int64_t few, int64_t f, const std::string& names,
                    int64_t resident = 128, StorageType storage = StorageType::f32) {
    SCOPED_TRACE(std::to_string(rows) + " points, " + std::to_string(few) + " others");
    check_of(verb, random_elements(storage, {rows, f}, 1), random_elements(storage, {few, f}, 2), names, resident,
             storage);
  }
  static void check_of(const Verb& verb, const Array& first, const Array& second, const std::string& names,
                       int64_t resident = 128, StorageType storage = StorageType::f32) {
    const Tensor x = upload(first).astype(dtype_of(storage)).eval(),
                 y = upload(second).astype(dtype_of(storage)).eval();
    const MovedBuffers moved{{x.node()->stored().buffer, buffer_of(*device_, words_of(first, storage))},
                             {y.node()->stored().buffer, buffer_of(*device_, words_of(second, storage))}};
    AsHardware hardware(*device_, resident);
    expect_reduce(*device_, hardware, planned_reduce(verb(x, y), moved), names, bits_of(verb(x, y)));
  }
  static Tensor squares(const Tensor& x, const Tensor& y) {
    const Tensor apart = x.unsqueeze(1) - y.unsqueeze(0);
    return sum(apart * apart, 2);
  }

  static std::unique_ptr<gl::GlRuntime> device_;
};

std::unique_ptr<gl::GlRuntime> EachRowSchedules::device_;

TEST_F(EachRowSchedules, the_nearest_of_few) {
  const auto nearest = [](const Tensor& x, const Tensor& y) { return argmin(squares(x, y), 1); };
  const std::string each = "reduce_row_each argmin f32\n";
  for (const int64_t few : {9, 25, 64, 176, 300}) {
    check(nearest, 512, few, 3, each);
    check(nearest, 1000, few, 2, each);
  }
  check(nearest, 1003, 25, 4, "reduce_row argmin f32\n" + each);  // three rows beside fours
  check(nearest, 65, 25, 4, each);                                // a row each
}

TEST_F(EachRowSchedules, the_least_distance) {
  for (const int64_t few : {9, 257})
    check([](const Tensor& x, const Tensor& y) { return 2 * min(squares(x, y), 1); }, 640, few, 3,
          "reduce_row_each min f32\n");
}

/// Some coordinates are infinite, some NaN: then whole rows are, or a column, so a NaN is first, last or alone
/// anywhere, and rows have no finite element. Of several NaN any may be a row's extreme, so those show as a number.
TEST_F(EachRowSchedules, extremes_beside_nan_and_infinities) {
  const std::vector<std::pair<std::string, Verb>> verbs = {
      {"argmin", [](const Tensor& x, const Tensor& y) { return argmin(squares(x, y), 1); }},
      {"argmax", [](const Tensor& x, const Tensor& y) { return argmax(-squares(x, y), 1); }},
      {"min", [](const Tensor& x, const Tensor& y) { return nan_to_num(min(squares(x, y), 1), 7, 8, 9); }},
      {"max", [](const Tensor& x, const Tensor& y) { return nan_to_num(max(-squares(x, y), 1), 7, 8, 9); }},
  };
  const auto points = [](int64_t n, uint64_t seed, double special) {
    Array a = random_elements(StorageType::f32, {n, 2}, seed);
    const double specials[] = {NAN, NAN, INFINITY, -INFINITY};
    Random random(seed);
    for (double& value : a.values)
      if (random.real(0, 1) < special) value = specials[random.integer(0, 3)];
    return a;
  };
  for (const int64_t few : {9, 13, 26, 64, 257})
    for (const auto& [name, verb] : verbs)
      for (const double special : {0.0, 0.01, 0.5})
        check_of(verb, points(512, few, 0.05), points(few, few + 1, special), "reduce_row_each " + name + " f32\n");
}

TEST_F(EachRowSchedules, extremes_look_for_nan_apart) {
  const Tensor x = upload(random_elements(StorageType::f32, {512, 3}, 1)),
               y = upload(random_elements(StorageType::f32, {25, 3}, 2));
  const auto text_of = [&](const Tensor& result) {
    AsHardware hardware(*device_, 128);
    const GraphLock lock;
    return glsl_of(hardware.target(), plan({result.node()}, {}, gl::unstored).kernels.front());
  };
  EXPECT_NE(text_of(argmin(squares(x, y), 1)).find("#define EG_NANS_APART"), std::string::npos);
  EXPECT_NE(text_of(max(squares(x, y), 1)).find("eg_magnitude(x)"), std::string::npos);
  EXPECT_EQ(text_of(sum(squares(x, y), 1)).find("eg_magnitude"), std::string::npos);
}

TEST_F(EachRowSchedules, sums_keep_the_order_of_the_tree) {
  const auto sum_of = [](const Tensor& x, const Tensor& y) { return sum(squares(x, y) + 0.25F, 1); };
  for (const int64_t few : {9, 16, 25, 61, 64, 130, 176, 255, 256, 257, 1027, 2500})
    check(sum_of, 640, few, 3, "reduce_row_each sum f32\n");
}

/// Of four points three vectors for 16 pairs, and nothing of the row's own in the loop.
TEST_F(EachRowSchedules, read_coordinates_by_whole_vectors) {
  const Tensor x = upload(random_elements(StorageType::f32, {512, 3}, 1)),
               y = upload(random_elements(StorageType::f32, {25, 3}, 2));
  const Tensor nearest = argmin(squares(x, y), 1);
  AsHardware hardware(*device_, 128);
  const GraphLock lock;
  const std::string text = glsl_of(hardware.target(), plan({nearest.node()}, {}, gl::unstored).kernels.front());
  const std::string loop = text.substr(text.find("void eg_load("));
  const std::string loads = loop.substr(0, loop.find("eg_load_value("));
  int64_t count = 0;
  for (size_t at = loads.find("eg_b"); at != std::string::npos; at = loads.find("eg_b", at + 1)) ++count;
  EXPECT_EQ(count, 3) << loads;
}

/// Points that begin inside a vector, and of two bytes a coordinate.
TEST_F(EachRowSchedules, read_points_from_anywhere) {
  const auto of_some = [](const Tensor& x, const Tensor& y) {
    const Tensor some = y.slice(0, 1, y.shape()[0]);
    return argmin(squares(x.astype(DType::f32), some.astype(DType::f32)), 1);
  };
  for (const int64_t few : {13, 26, 62, 65})
    for (const int64_t f : {2, 3, 4})
      for (const StorageType storage : {StorageType::f32, StorageType::f16})
        check(of_some, 512, few, f, "reduce_row_each argmin f32\n", 128, storage);
}

/// Numbers beside others, such as the parts of complex ones, by whole vectors in every form of rows.
TEST_F(EachRowSchedules, interleaved_elements_of_rows) {
  for (const int64_t rows : {1, 7, 300})
    for (const int64_t length : {5, 62, 64, 131, 1000, 8195}) {
      SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(length));
      const Array memory = random_elements(StorageType::f32, {rows, length, 2}, 1);
      const Tensor x = upload(memory);
      const MovedBuffers moved{{x.node()->stored().buffer, buffer_of(*device_, words_of(memory, StorageType::f32))}};
      const auto sizes = [](const Tensor& z) {
        const Tensor re = z.slice(2, 0, 1).squeeze(2), im = z.slice(2, 1, 2).squeeze(2);
        return max(re * re + im * im, 1);
      };
      ReduceKernel kernel = planned_reduce(sizes(x), moved);
      const Words expected = bits_of(sizes(x));
      kernel.out.buffer = buffer_of(*device_, Words(expected.size()));
      AsHardware hardware(*device_, 128);
      EXPECT_NE(glsl_of(hardware.target(), kernel).find("  vec4 m0_1"), std::string::npos);
      hardware.run(kernel);
      EXPECT_EQ(download(*device_, kernel.out.buffer->storage(), expected.size()), expected);
    }
}

TEST_F(EachRowSchedules, few_rows_are_a_groups) {
  check([](const Tensor& x, const Tensor& y) { return argmin(squares(x, y), 1); }, 40, 300, 3,
        "reduce_row argmin f32\n", 1 << 20);
}

}  // namespace
}  // namespace eglantine::test

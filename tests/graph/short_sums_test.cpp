#include <span>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/random/random_data.hpp"

/// Sums along a short axis of what is broadcast: their readers add the elements.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, ShortSums);

/// Points of `features` numbers, and all pairs of them.
struct Pairs {
  explicit Pairs(int64_t features, int64_t count = 41) {
    a = upload(random_reals({count, features}, -1, 1, 1));
    b = upload(random_reals({count + 6, features}, -1, 1, 2));
  }
  Tensor differences() const { return a.unsqueeze(1) - b.unsqueeze(0); }
  Tensor squares() const { return sum(differences() * differences(), 2); }
  Tensor a, b;
};

using Reader = Tensor (*)(const Tensor& squares);

constexpr Reader readers[] = {[](const Tensor& x) { return min(x, 1); }, [](const Tensor& x) { return argmin(x, 1); },
                              [](const Tensor& x) { return x.slice(1, 40, 0, -3) + 1.0F; },
                              [](const Tensor& x) { return sum(rsqrt(x + 0.1F), 0); },
                              [](const Tensor& x) { return exp(x.transpose(0, 1) * -0.5F); }};
constexpr size_t exact_readers = 3;  // the others apply functions, to sums of which a GPU adds the products by fma()

EG_TEST(ShortSums, have_the_bits_of_a_kernel_of_their_own_where_no_function_rounds_them) {
  for (int64_t features = 1; features <= 9; ++features) {
    const Pairs pairs(features);
    const Tensor stored = pairs.squares().eval();
    for (const Reader reader : std::span(readers).first(exact_readers))
      EXPECT_TRUE(same_bits(reader(pairs.squares()), reader(stored))) << features;
  }
}

EG_TEST(ShortSums, that_functions_round_differ_by_units_in_the_last_place) {
  for (int64_t features = 1; features <= 9; ++features) {
    const Pairs pairs(features);
    const Tensor stored = pairs.squares().eval();
    for (const Reader reader : std::span(readers).subspan(exact_readers))
      EXPECT_TRUE(matches(reader(pairs.squares()), download(reader(stored)), {.relative = 1e-6, .absolute = 1e-6}))
          << features;
  }
}

/// What decides, or is read without a function, too, has the tree's bits whichever comes first; a sum of products that
/// cancel does not become negative.
EG_TEST(ShortSums, have_their_bits_beside_functions_and_below_what_decides) {
  for (int64_t features = 2; features <= 8; ++features) {
    const Pairs pairs(features);
    const Tensor stored = pairs.squares().eval();
    const Reader mixed[] = {[](const Tensor& s) { return 0.0F * exp(s) + s; },
                            [](const Tensor& s) { return s + 0.0F * exp(s); },
                            [](const Tensor& s) { return exp(where(gt(s, 1.5F), 1.0F, 0.0F)); },
                            [](const Tensor& s) { return exp(floor(8.0F * s)); }};
    for (const Reader reader : mixed)
      EXPECT_TRUE(matches(reader(pairs.squares()), download(reader(stored)), {.ulp = 0, .relative = 1e-7})) << features;
  }
  const Tensor a = upload(Array{DType::f32, {1, 2}, {0.1F, -0.1F}}).expand({64, 2}),
               b = upload(Array{DType::f32, {1, 2}, {0.3F, 0.3F}}).expand({64, 2});
  EXPECT_TRUE(matches(sqrt(sum(a.unsqueeze(1) * b.unsqueeze(0), 2)), download(zeros({64, 64}))));
}

EG_TEST(ShortSums, are_never_stored) {
  if (binds_few_buffers()) return;  // which bind less than a reader and the components
  for (const Reader reader : readers) EXPECT_EQ(kernels_of(reader(Pairs(3).squares())), 1);
}

/// Of five components only four could be computed at once.
EG_TEST(ShortSums, are_stored_where_one_reader_would_compute_them_again) {
  if (binds_few_buffers()) return;  // more kernels
  const Pairs pairs(5);
  const auto weighted = [&] { return pairs.differences() * sum(abs(pairs.differences()), 2).unsqueeze(2); };
  EXPECT_EQ(kernels_of(sum(weighted(), 1)), 2);
  EXPECT_EQ(kernels_of(sum(weighted(), {1, 2}) * 2.0F), 2);
}

EG_TEST(ShortSums, are_stored_where_several_read_them) {
  if (binds_few_buffers()) return;  // more kernels
  const Tensor squares = Pairs(3).squares();
  EXPECT_EQ(kernels_of({min(squares, 1), exp(squares)}), 2);
}

/// What is not made of far fewer numbers is read by a reduction, once.
EG_TEST(ShortSums, of_stored_elements_are_reductions) {
  const Tensor x = upload(random_reals({40, 30, 3}, -1, 1, 1));
  EXPECT_EQ(kernels_of(min(sum(x * x, 2), 1)), 2);
}

}  // namespace
}  // namespace eglantine::test

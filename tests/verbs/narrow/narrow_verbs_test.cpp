#include "verbs/narrow/narrow_verbs.hpp"

#include <functional>

#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Every verb on f16, bf16, i8 and u8 gives what it gives of f32 and i32, rounded once.
namespace eglantine::test {

Tensor widened(const Tensor& x) { return x.astype(computed_type(x.dtype())); }

Tensor rounded_once(const NarrowVerb& verb, DType dtype, const Tensor& wide) {
  const Tensor y = verb.call(wide);
  const bool rounds = y.dtype() == wide.dtype() && (is_float(dtype) || verb.of_bytes == OfBytes::bytes);
  return rounds ? y.astype(dtype) : y;
}

namespace {

EG_ON_EACH_DEVICE(Narrow, NarrowVerbs);

constexpr DType narrow_types[] = {DType::f16, DType::bf16, DType::i8, DType::u8};

/// (3, n) from element `start` of what is stored.
Tensor rows_of(const Array& stored, int64_t n) {
  return upload(stored).slice(0, stored.shape[0] - 3 * n).reshape({3, n});
}
Array stored_for(DType dtype, int64_t n, int64_t start) {
  return random_array(dtype, {3 * n + start}, static_cast<uint64_t>(n));
}

/// The same kernels of the same expressions: rounding once, at the end, takes none more. On any device: on the CPU no
/// programs are written.
void expect_same_kernels(std::span<const NarrowVerb> verbs) {
  Device::set_current(Device::open("cpu"));
  for (const NarrowVerb& verb : verbs)
    for (DType dtype : narrow_types) {
      SCOPED_TRACE(std::string(verb.name) + " of " + std::string(name_of(dtype)));
      const Tensor x = rows_of(stored_for(dtype, 37, 1), 37), actual = verb.call(x),
                   expected = rounded_once(verb, dtype, widened(x));
      EXPECT_EQ(actual.dtype(), expected.dtype());
      EXPECT_EQ(explain(actual), explain(expected));
    }
}

TEST(NarrowKernels, of_reductions_are_those_of_wide_ones) { expect_same_kernels(narrow_reductions()); }
TEST(NarrowKernels, of_statistics_are_those_of_wide_ones) { expect_same_kernels(narrow_statistics()); }
TEST(NarrowKernels, of_network_verbs_are_those_of_wide_ones) { expect_same_kernels(narrow_network_verbs()); }
TEST(NarrowKernels, of_index_verbs_are_those_of_wide_ones) { expect_same_kernels(narrow_index_verbs()); }

/// Kernels compute in f32 and i32; a reader of explain() and of profiles looks for the tensor's dtype.
TEST(NarrowKernels, are_named_by_what_they_store) {
  Device::set_current(Device::open("cpu"));
  for (DType dtype : narrow_types) {
    const std::string type = std::string(name_of(dtype)) + " (";
    const Tensor x = rows_of(stored_for(dtype, 4, 0), 4);
    EXPECT_TRUE(explain(x + x).starts_with("map " + type)) << explain(x + x);
    EXPECT_TRUE(explain(max(x, 1)).starts_with("reduce max " + type)) << explain(max(x, 1));
    EXPECT_TRUE(explain(cummax(x, 1)).starts_with("scan max " + type)) << explain(cummax(x, 1));
    const Tensor taken = take(x, Tensor::from({0, 2}, {2}), 0);
    EXPECT_TRUE(explain(taken).starts_with("gather " + type)) << explain(taken);
  }
}

/// What is rounded to 16 bits next needs no more than 0.01 of their last place, whatever the form for f32 takes.
TEST(NarrowKernels, take_functions_that_are_near_enough) {
  Device::set_current(Device::open("gl"));
  for (DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    const Tensor x = rows_of(stored_for(dtype, 4, 0), 4).eval();
    const std::pair<std::string, Tensor> functions[] = {
        {"expm1", expm1(x)}, {"log", log(x)},   {"log2", log2(x)},       {"log10", log10(x)},
        {"log1p", log1p(x)}, {"tanh", tanh(x)}, {"sigmoid", sigmoid(x)}, {"softplus", softplus(x)},
        {"sin", sin(x)},     {"cos", cos(x)}};
    for (const auto& [name, y] : functions)
      EXPECT_EQ(explain(y).find("= eg_" + name + "_near(x0)") != std::string::npos, is_narrow(dtype)) << name;
  }
}

/// What a GPU's row kernel sums in which order depends on how rows are stored: about what the verb gives of wide ones,
/// rounded once.
::testing::AssertionResult rounds_about(const Tensor& actual, const NarrowVerb& verb, const Tensor& wide) {
  Array expected = download(verb.call(wide));
  expected.dtype = actual.dtype();
  return matches(actual, expected, {.relative = 1e-6, .absolute = 1e-6});
}

enum class Sums { of_one_order, of_rows };

void check_at(const NarrowVerb& verb, DType dtype, int64_t n, int64_t start, Sums sums) {
  SCOPED_TRACE(::testing::Message() << verb.name << " of " << name_of(dtype) << ", (3, " << n << ") from " << start);
  // Of numbers that the host has widened.
  Array stored = stored_for(dtype, n, start);
  const Tensor actual = verb.call(rows_of(stored, n));
  stored.dtype = computed_type(dtype);
  const Tensor wide = rows_of(stored, n), expected = rounded_once(verb, dtype, wide);
  EXPECT_EQ(actual.dtype(), expected.dtype());
  EXPECT_TRUE(sums == Sums::of_rows ? rounds_about(actual, verb, wide) : same_bits(actual, expected));
}

/// Every length, each with another start for another verb or dtype. On GL each dtype and most lengths are programs of
/// their own.
void check_values(std::span<const NarrowVerb> verbs, Sums sums = Sums::of_one_order) {
  Draw lengths = draw_one_of(4), fewer = draw_programs_one_of(3), programs = draw_programs_one_of(32);
  int64_t start = 0;
  for (const NarrowVerb& verb : verbs)
    for (DType dtype : narrow_types) {
      if (!programs.next()) continue;
      for (int64_t n = 0; n <= 37; ++n, start = (start + 1) % 6)
        if (lengths.next() && fewer.next()) check_at(verb, dtype, n, start, sums);
      start = (start + 1) % 6;  // 38 lengths: without it, odd ones would always begin at odd starts
    }
}

EG_TEST(NarrowVerbs, reductions_round_once) { check_values(narrow_reductions()); }
EG_TEST(NarrowVerbs, statistics_round_once) { check_values(narrow_statistics()); }
EG_TEST(NarrowVerbs, network_verbs_round_once) {
  check_values(narrow_network_verbs(), plans_for_gpus(device()) ? Sums::of_rows : Sums::of_one_order);
}
EG_TEST(NarrowVerbs, pools_round_once) { check_values(narrow_pools()); }
EG_TEST(NarrowVerbs, index_verbs_round_once) { check_values(narrow_index_verbs()); }
EG_TEST(NarrowVerbs, movements_keep_elements) { check_values(narrow_movements()); }

EG_TEST(NarrowVerbs, bytes_start_at_their_own_extremes) {
  const Tensor i = Tensor::from<int8_t>({-5, 3, -7}, {3}), u = Tensor::from<uint8_t>({9, 200, 30}, {3});
  EXPECT_EQ(cummax(i, 0, true).to_vector<int8_t>(), (std::vector<int8_t>{-128, -5, 3}));
  EXPECT_EQ(cummin(i, 0, true).to_vector<int8_t>(), (std::vector<int8_t>{127, -5, -5}));
  EXPECT_EQ(cummax(u, 0, true).to_vector<uint8_t>(), (std::vector<uint8_t>{0, 9, 200}));
  EXPECT_EQ(cummin(u, 0, true, true).to_vector<uint8_t>(), (std::vector<uint8_t>{30, 30, 255}));
  EXPECT_EQ(cummin(u.slice(0, 0, 1), 0, true).item<uint8_t>(), 255);
  EXPECT_EQ(segment_max(i, Tensor::from({1, 1, 1}, {3}), 2).to_vector<int8_t>(), (std::vector<int8_t>{-128, 3}));
}

EG_TEST(NarrowVerbs, several_dtypes_meet_before_they_round) {
  const Tensor h = upload(random_array(DType::f16, {3, 37})), b = upload(random_array(DType::bf16, {3, 37}, 2)),
               i = upload(random_array(DType::i32, {3, 37}, 3)), row = upload(random_array(DType::u8, {37}, 4));
  const auto f = [](const Tensor& x) { return x.astype(DType::f32); };
  EXPECT_TRUE(same_bits(mse_loss(h, b), mse_loss(f(h), f(b))));
  EXPECT_TRUE(same_bits(average(h, b, 0), average(f(h), f(b), 0)));
  EXPECT_TRUE(same_bits(lerp(h, b, 0.3), lerp(f(h), f(b), 0.3)));
  EXPECT_TRUE(same_bits(layer_norm(h, {1}, b(0)), layer_norm(f(h), {1}, f(b(0)))));
  EXPECT_TRUE(same_bits(layer_norm(h, {1}, row), layer_norm(f(h), {1}, f(row)).astype(DType::f16)));
  EXPECT_TRUE(same_bits(l1_loss(h, i), l1_loss(f(h), f(i)).astype(DType::f16)));
  EXPECT_TRUE(same_bits(cosine_similarity(b, i, 1), cosine_similarity(f(b), f(i), 1).astype(DType::bf16)));
  EXPECT_TRUE(same_bits(inner(h, i), inner(f(h), f(i)).astype(DType::f16)));
}

}  // namespace
}  // namespace eglantine::test

#include <cfloat>
#include <cmath>
#include <tuple>

#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "graph/node.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/op_rows.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/samples.hpp"
#include "support/verb_table.hpp"

/// Every row of ops.def, with every dtype, on every device: special values, and random arguments of its domain, against
/// the double-precision reference.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Elementwise, Products);
EG_ON_EACH_DEVICE(Elementwise, Signs);
EG_ON_EACH_DEVICE(Elementwise, Functions);

/// In one kernel, or in consecutive ones.
EG_TEST(Products, have_the_bits_of_one_after_another) {
  const Tensor a = upload(random_reals({1003}, -1, 1, 1)), b = upload(random_reals({1003}, -1, 1, 2)),
               c = upload(random_reals({1003}, -1, 1, 3));
  const auto computed = [](const Tensor& x) { return x.eval(); };
  EXPECT_TRUE(same_bits(a * b * c, computed(a * b) * c));
  EXPECT_TRUE(same_bits((a * b) * (a * b), square(computed(a * b))));
  EXPECT_TRUE(same_bits((a * a) * (a * a), square(computed(a * a))));
  EXPECT_TRUE(same_bits((a * b) * (c * b), computed(a * b) * computed(c * b)));
  EXPECT_TRUE(same_bits(a * b + c, computed(a * b) + c));
  EXPECT_TRUE(same_bits(exp(a) * b + c, computed(computed(exp(a)) * b) + c));
  EXPECT_TRUE(same_bits(tanh(a * b) * c, computed(tanh(computed(a * b))) * c));
}

/// Beside what the host computes of the same steps, by one scalar and by one of each element.
EG_TEST(Signs, stay_right_in_fused_kernels) {
  const Array a = random_reals({24}, -4, 4, 1), b = random_reals({24}, -4, 4, 2), d = random_reals({24}, -4, 4, 3);
  const std::pair<Tensor (*)(const Tensor&), double (*)(double)> signed_functions[] = {
      {tanh, std::tanh}, {asinh, std::asinh}, {erf, std::erf}};
  for (const auto& [verb, function] : signed_functions)
    for (const int64_t length : {1, 24}) {
      const std::vector<float> result =
          verb(logaddexp(upload(a), upload(b)) * verb(upload(d).slice(0, 0, length))).to_vector<float>();
      for (size_t i = 0; i < 24; ++i) {
        const double size = std::log(std::exp(a.values[i]) + std::exp(b.values[i]));
        const double wanted = function(size * function(d.values[length == 1 ? 0 : i]));
        EXPECT_NEAR(result[i], wanted, 1e-5 * std::max(1.0, std::abs(wanted))) << i << " of " << length;
      }
    }
}

/// One kernel in the order of memory, whatever reads it: with the bits, and the sums, of those in the tensor's own.
EG_TEST(Functions, of_a_transposed_tensor_lie_as_it_does) {
  const Array x = random_reals({701, 401}, -2, 2);
  const Tensor seen = upload(x).transpose(0, 1), made = upload(naive::transpose(x, 0, 1));
  EXPECT_TRUE(explain(tanh(exp(seen))).starts_with("map f32 (281101,): exp, tanh of 1 operand"))
      << explain(tanh(exp(seen))).substr(0, 80);
  EXPECT_TRUE(explain(square(seen)).starts_with("map f32 (281101,): square")) << explain(square(seen)).substr(0, 80);
  EXPECT_TRUE(same_bits(expm1(seen), expm1(made)));
  const Tensor row = upload(random_reals({701}, -1, 1, 2));
  EXPECT_TRUE(same_bits(sigmoid(seen) * row + made, sigmoid(made) * row + made));
  const Tensor one = upload(random_reals({}, -1, 1, 3)), column = upload(random_reals({401, 1}, -1, 1, 4));
  EXPECT_TRUE(same_bits(gelu(row - seen), gelu(row - made)));
  const auto by_hand = [](const Tensor& v) { return 0.5F * v * (tanh(v * (v * v + 3.0F)) + 1.0F); };
  EXPECT_TRUE(same_bits(by_hand(seen), by_hand(made)));
  EXPECT_TRUE(same_bits(mean(by_hand(seen), 0), mean(by_hand(seen).eval(), 0)));
  EXPECT_TRUE(same_bits(logaddexp(seen, one), logaddexp(made, one)));
  EXPECT_TRUE(same_bits((seen - column) * made, (made - column) * made));
  // Else one of them may be in parts that the other's buffers do not bind.
  const bool many = !binds_few_buffers();
  EXPECT_TRUE(!many || same_bits(softmax(seen + row, 1), softmax((seen + row).eval(), 1)));
  EXPECT_TRUE(same_bits(sum(seen * row, 0), sum((seen * row).eval(), 0)));
  EXPECT_TRUE(same_bits(sum(exp(seen), 1), sum(exp(seen).eval(), 1)));
  EXPECT_TRUE(same_bits(seen.astype(DType::u8), made.astype(DType::u8)));
  EXPECT_TRUE(explain(seen.astype(DType::bf16)).starts_with("map bf16 (281101,): copy of 1 operand"))
      << explain(seen.astype(DType::bf16)).substr(0, 80);
  EXPECT_TRUE(same_bits(exp(seen.astype(DType::f16)), exp(made.astype(DType::f16))));
}

/// Binary ones of many elements, too, beside numbers and what is small; of fewer the host's time for the views counts.
EG_TEST(Functions, of_a_large_transposed_tensor_lie_as_it_does) {
  const Tensor stored = normal({4100, 4099}, 1).eval(), seen = stored.transpose(0, 1);
  const Tensor made = where(gt(seen, -100.0F), seen, 0.0F).eval(), row = normal({4100}, 2).eval();
  const auto by_hand = [](const Tensor& v) { return 0.5F * v * (tanh(v * (v * v + 3.0F)) + 1.0F); };
  EXPECT_TRUE(explain(by_hand(seen)).starts_with("map f32 (16805900,): ")) << explain(by_hand(seen)).substr(0, 80);
  EXPECT_TRUE(explain(gelu(row - seen)).starts_with("map f32 (4100, 4099): sub, gelu of 2 operands"))
      << explain(gelu(row - seen)).substr(0, 80);
  EXPECT_TRUE(all(eq(by_hand(seen), by_hand(made))).item<bool>());
  EXPECT_TRUE(all(eq(gelu(row - seen), gelu(row - made))).item<bool>());
  EXPECT_TRUE(all(eq(sum(seen * row, 0), sum((seen * row).eval(), 0))).item<bool>());
}

struct Case {
  OpRow row;
  DType dtype;
};

void PrintTo(const Case& tested, std::ostream* out) { *out << tested.row.name << " of " << name_of(tested.dtype); }

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const OpRow& row : elementwise_rows())
    for (DType dtype : dtypes_of(row)) cases.push_back({row, dtype});
  return cases;
}

class Operation : public ::testing::TestWithParam<std::tuple<Case, std::string>> {
 protected:
  void SetUp() override { Device::set_current(open_device(std::get<1>(GetParam()))); }
  const OpRow& row() const { return std::get<0>(GetParam()).row; }
  DType dtype() const { return std::get<0>(GetParam()).dtype; }
};

std::string case_name(const ::testing::TestParamInfo<Operation::ParamType>& info) {
  const auto& [tested, spec] = info.param;
  const ::testing::TestParamInfo<std::string> device(spec, info.index);
  return tested.row.name + "_" + std::string(name_of(tested.dtype)) + "_" + spec_name(device);
}

INSTANTIATE_TEST_SUITE_P(Elementwise, Operation,
                         ::testing::Combine(::testing::ValuesIn(every_case()), ::testing::ValuesIn(device_specs())),
                         case_name);

Op op_of(const std::string& name) {
#define EG_ELEMENTWISE(row, ...) \
  if (name == #row) return Op::row;
#define EG_REDUCTION(...)
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
  throw std::logic_error("no row is called " + name);
}

DType result_dtype(const OpRow& row, DType dtype) {
  for (DType named : {DType::f32, DType::i32, DType::u32, DType::boolean})
    if (row.result == name_of(named)) return named;
  return dtype;
}

/// Through the public verb; rows without one as nodes.
Tensor apply_row(const OpRow& row, DType dtype, const std::vector<Tensor>& x) {
  if (const Verb* verb = find_verb(row.name)) return verb->call(x);
  std::array<NodePtr, 3> args;
  for (size_t i = 0; i < x.size(); ++i) args[i] = x[i].node();
  return Tensor(make_elementwise(op_of(row.name), result_dtype(row, dtype), args));
}

/// Exceptions: between numbers of two signs lerp has an error relative to them (Vocabulary.lerp...), and multiply_add
/// one relative to the product, which may be too large for an f32.
bool is_promised(const OpRow& row, DType dtype, const std::vector<double>& x) {
  if (!is_float(dtype) || (row.name != "lerp" && row.name != "multiply_add")) return true;
  const bool finite = std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2]);
  if (const double product = x[0] * x[1]; row.name == "multiply_add")
    return finite ? std::abs(product) <= FLT_MAX && std::signbit(product) == std::signbit(x[2])
                  : !std::isfinite(product) || std::abs(product) <= FLT_MAX;
  return !finite || (std::signbit(x[0]) == std::signbit(x[1]) && x[2] >= 0 && x[2] <= 1);
}

Tolerance tolerance_of(const OpRow& row, DType dtype, const std::vector<double>& x) {
  Tolerance tolerance{row.ulp, 0, 0, false};
  // 0.51 ULP of a narrow float: so near to a tie either neighbour will do.
  if (row.ulp > 0 && dtype == DType::f16) tolerance.relative = 0.01 * 0x1p-11;
  if (row.ulp > 0 && dtype == DType::bf16) tolerance.relative = 0.01 * 0x1p-8;
  for (const AbsoluteRow& absolute : absolute_rows())
    if (absolute.name == row.name && (!is_float(dtype) || (x[0] >= absolute.low && x[0] <= absolute.high)))
      tolerance.absolute = absolute.error;
  return tolerance;
}

/// The arguments with the denormals selected by `which` (a bit for each argument) flushed to zero.
std::vector<double> flushed(std::vector<double> x, unsigned which) {
  for (size_t i = 0; i < x.size(); ++i)
    if ((which >> i & 1U) != 0 && std::abs(x[i]) < FLT_MIN) x[i] = std::copysign(0.0, x[i]);
  return x;
}

bool is_right(const OpRow& row, DType dtype, double actual, const std::vector<double>& x) {
  const DType result = result_dtype(row, dtype);
  for (unsigned which = 0; which < (is_float(dtype) ? 1U << x.size() : 1U); ++which) {
    const double value = reference_of(row, dtype, flushed(x, which));
    const double expected = is_float(result) ? value : as_element(result, value);
    if (close(result, actual, expected, tolerance_of(row, dtype, x))) return true;
  }
  return false;
}

std::string describe(const std::vector<double>& x) {
  std::string text;
  for (double value : x) {
    char digits[64];
    std::snprintf(digits, sizeof digits, "%s%.9g (%a)", text.empty() ? "" : ", ", value, value);
    text += digits;
  }
  return text;
}

TEST_P(Operation, is_as_accurate_as_its_row_promises) {
  if (is_narrow(dtype()) && !draw_programs_one_of(5).next()) return;
  const Samples samples = samples_for(row(), dtype());
  const Array result = download(apply_row(row(), dtype(), upload_samples(row(), dtype(), samples)));
  ASSERT_EQ(result.dtype, result_dtype(row(), dtype()));
  int wrong = 0;
  for (size_t i = 0; i < result.values.size() && wrong < 10; ++i) {
    std::vector<double> x;
    for (const std::vector<double>& argument : samples) x.push_back(argument[i]);
    if (row().name == "where") x[0] = x[0] > 0 ? 1 : 0;
    if (!is_promised(row(), dtype(), x) || is_right(row(), dtype(), result.values[i], x)) continue;
    ++wrong;
    ADD_FAILURE() << row().name << "(" << describe(x) << ") is " << describe({result.values[i]}) << ", expected "
                  << describe({as_element(result.dtype, reference_of(row(), dtype(), x))});
  }
}

}  // namespace
}  // namespace eglantine::test

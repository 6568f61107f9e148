#include "lower/as_subgroups.hpp"
#include "lower/reduce/forms.hpp"
#include "lower/reduce/rewrites/kept_order.hpp"
#include "support/random/draw.hpp"

/// Reductions of operands that lie in several orders, as hardware takes them: the bits are the CPU's.
namespace eglantine::test {
namespace {

class ReduceAcross : public ReduceForms {};

struct AsSoftware : AsHardware {
  AsSoftware(gl::GlRuntime& device, int64_t resident_invocations) : AsHardware(device, resident_invocations) {
    plan_for().software = true;
  }
};

TEST_F(ReduceAcross, what_lies_across_the_rows_is_transposed_before) {
  const Tensor a = stored({700, 3, 130}), b = stored({130, 3, 700}), lying = b.transpose(0, 2);
  expect(
      [&] {
        return sum(square(lying - a), {0, 1, 2});
      },
      "map_transpose f32\nreduce_row sum f32\nreduce_row sum f32\n");
  expect([&] { return sum(a * lying, {1, 2}); }, "map_transpose f32\nreduce_row sum f32\n");
  // The tiles move that operand alone; of two they move what is reduced.
  const auto copies = [&](const std::string& text) {
    return text_.substr(0, text_.find("#version", text_.find("#version") + 1)).find(text) != std::string::npos;
  };
  EXPECT_FALSE(copies("x1"));
  const Tensor c = stored({130, 3, 700});
  expect([&] { return sum(a * lying * c.transpose(0, 2), {1, 2}); }, "map_transpose f32\nreduce_row sum f32\n");
  EXPECT_TRUE(copies("x1"));
}

/// Where the last axis is short, neighbouring lanes are neighbours along the one before it, too.
TEST_F(ReduceAcross, what_lies_across_short_rows_is_put_in_order_before) {
  const Tensor a = stored({700, 300, 2}), b = stored({2, 300, 700}), beside = stored({300, 2, 700});
  for (const bool first : {false, true})
    expect(
        [&] {
          const Tensor other = b.transpose(0, 2);
          return sum(first ? other - a : a - other, {0, 1, 2});
        },
        "map_permute f32\nreduce_row sum f32\nreduce_row sum f32\n");
  expect([&] { return sum(a * beside.permute({2, 0, 1}), {1, 2}); }, "map_transpose f32\nreduce_row sum f32\n");
}

TEST_F(ReduceAcross, what_lies_across_the_columns_is_transposed_before) {
  const Tensor a = stored({530, 510}), b = stored({510, 530});
  expect([&] { return sum(a * b.transpose(0, 1), {0}); }, "map_transpose f32\nreduce_column sum f32\n");
}

TEST_F(ReduceAcross, short_rows_lie_across_where_the_next_axis_does) {
  const Tensor a = stored({517, 301, 2}), b = stored({2, 301, 517}), beside = stored({517, 2, 301});
  expect([&] { return sum(a * b.transpose(0, 2)); }, "map_permute f32\nreduce_row sum f32\nreduce_row sum f32\n");
  expect([&] { return sum(a * beside.transpose(1, 2)); }, "reduce_row sum f32\nreduce_row sum f32\n");
  expect([&] { return sum(a * b.transpose(0, 2), 0); }, "map_permute f32\nreduce_column sum f32\n");
}

TEST_F(ReduceAcross, few_elements_are_read_as_they_lie) {
  const Tensor a = stored({300, 310}), b = stored({310, 300});
  expect([&] { return sum(a * b.transpose(0, 1), {0, 1}); }, "reduce_row sum f32\n");
}

TEST_F(ReduceAcross, short_runs_between_other_results_are_reduced_last) {
  const Tensor bits = stored({1500, 62, 3}, DType::boolean), x = stored({1500, 62, 3}),
               numbers = stored({40, 8, 25, 12, 5}, DType::i32);
  expect([&] { return any(bits, {0, 2}); }, "reduce_column any boolean\nreduce_row any boolean\n");
  expect([&] { return max(x * 2.0F, {0, 2}); }, "reduce_column max f32\nreduce_row max f32\n");
  expect([&] { return sum(numbers, {0, 2, 4}); }, "reduce_column sum i32\nreduce_row sum i32\n");
  const Tensor longer = stored({500, 62, 9});
  expect([&] { return max(longer, {0, 2}); }, "reduce_row max f32\n");
}

TEST_F(ReduceAcross, short_runs_are_reduced_last_on_software_devices_too) {
  const Tensor bits = stored({1500, 62, 3}, DType::boolean), x = stored({1500, 62, 3}, DType::i32),
               longer = stored({500, 62, 9}, DType::i32), reals = stored({1500, 62, 3});
  expect<AsSoftware>(
      [&] {
        return any(bits, {0, 2});
      },
      "reduce_column any boolean\nreduce_column any boolean\nreduce_row any boolean\n");
  expect<AsSoftware>(
      [&] {
        return max(x * 2, {0, 2});
      },
      "reduce_column max i32\nreduce_column max i32\nreduce_row max i32\n");
  expect<AsSoftware>([&] { return max(longer, {0, 2}); }, "reduce_row max i32\n");
  // Of zeros of both signs the order decides.
  expect<AsSoftware>([&] { return max(reals, {0, 2}); }, "reduce_row max f32\n");
}

TEST_F(ReduceAcross, short_runs_of_floats_are_added_in_the_order_of_the_tree) {
  const Tensor x = stored({5700, 62, 3}), y = stored({5700, 31, 6});
  expect([&] { return sum(x, {0, 2}); }, "map_permute f32\nreduce_row sum f32\n");
  expect([&] { return sum(x * x.flip(0), {0, 2}); }, "map_permute f32\nreduce_row sum f32\n");
  expect([&] { return sum(y, {0, 2}); }, "reduce_row sum f32\n");
}

TEST_F(ReduceAcross, what_repeats_along_the_reduced_axes_is_read_once) {
  const Tensor x = stored({40, 1, 50}), all = x.expand({40, 300, 50});
  for (const Axes& axes : {Axes{1}, Axes{0, 1}, Axes{0, 1, 2}}) {
    const auto largest = [&] { return max(all * 2.0F, axes); };
    expect(largest, axes.rank() == 3 ? "reduce_row max f32\n" : "reduce_column max f32\n");
    EXPECT_EQ(lower::without_repeats(planned_reduce(largest(), moved_)).prologue.domain.elements(), x.size());
  }
}

TEST_F(ReduceAcross, integers_that_repeat_along_the_reduced_axes_are_added_once) {
  const Tensor few = stored({40, 1, 50}, DType::i32), x = few.expand({40, 300, 50}),
               bits = stored({1, 1000}, DType::boolean).expand({2000, 1000});
  for (const Axes& axes : {Axes{1}, Axes{0, 1}, Axes{0, 1, 2}}) {
    const auto sums = [&] { return sum(x * 70001, axes) + 3; };
    expect(sums, axes.rank() == 3 ? "reduce_row sum i32\n" : "reduce_column sum i32\n");
    EXPECT_EQ(lower::without_repeats(planned_reduce(sums(), moved_)).prologue.domain.elements(), few.size());
  }
  const auto counts = [&] { return sum(bits).astype(DType::f32) * 0.5F; };
  expect(counts, "reduce_row sum i32\n");
  EXPECT_EQ(lower::without_repeats(planned_reduce(counts(), moved_)).prologue.domain.elements(), 1000);
  const Tensor floats = stored({40, 1, 50}).expand({40, 300, 50});
  EXPECT_EQ(lower::without_repeats(planned_reduce(sum(floats, 1), moved_)).prologue.domain.elements(), floats.size())
      << "each addition rounds";
}

TEST_F(ReduceAcross, short_runs_are_loaded_by_neighbours_and_exchanged) {
  AsSubgroups target(*device_, 256);
  Draw draw = draw_one_of(3);
  const auto check = [&](const auto& make, const std::string& name, bool apart) {
    if (!draw.next()) return;
    const ReduceKernel kernel = planned_reduce(make(), moved_);
    EXPECT_EQ(glsl_of(target.target(), kernel).find("#define EG_APART") != std::string::npos, apart);
    target.names.clear();
    expect_reduce(*device_, target, kernel, name, bits_of(make()));
  };
  for (const Shape& shape :
       {Shape{85, 37, 13}, Shape{19, 41, 9}, Shape{11, 9, 63}, Shape{630, 8, 13}, Shape{40, 9, 5}}) {
    const Tensor x = stored(shape);
    check([&] { return sum(abs(x), {0, 2}); }, "reduce_row sum f32\n", true);
    check([&] { return max(abs(x), {0, 2}) * 2.0F; }, "reduce_row max f32\n", true);
    check([&] { return sum(x.flip(2), {0, 2}); }, "reduce_row sum f32\n", true);
  }
  const Tensor whole = stored({60, 37, 12}), lines = stored({20, 37, 67});
  check([&] { return sum(whole, {0, 2}); }, "reduce_row sum f32\n", false);
  check([&] { return sum(lines, {0, 2}); }, "reduce_row sum f32\n", false);
}

TEST_F(ReduceAcross, few_lanes_have_more_loads_in_flight) {
  const Tensor x = stored({3, 40000}), y = stored({3, 40000}), rows = stored({70, 3000});
  const auto far = [](const Tensor& a, const Tensor& b) { return (a * b + a) * (b - a * 3.0F) - abs(b) * a; };
  for (const int64_t resident : {4096, 1 << 16}) {
    resident_ = resident;
    expect([&] { return sum(abs(rows * 2.0F), 1); }, "reduce_row sum f32\n");
    EXPECT_EQ(text_.find("#define EG_UNROLL 8") != std::string::npos, resident > 4096);
  }
  expect([&] { return sum(far(x, y) - far(y, x), 1); }, "reduce_row sum f32\n");
  expect([&] { return sum(abs(rows.slice(1, 0, 3000, 2)), 1); }, "reduce_row sum f32\n");
  EXPECT_EQ(text_.find("#define EG_UNROLL 8"), std::string::npos) << "a vector is four loads already";
}

}  // namespace
}  // namespace eglantine::test

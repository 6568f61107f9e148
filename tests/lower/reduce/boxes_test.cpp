#include <functional>

#include "evaluate/pend.hpp"
#include "lower/reduce/forms.hpp"
#include "support/random/draw.hpp"

/// Reductions to one result of operands that lie in several orders, by boxes, as hardware takes them. The numbers are
/// small integers, of which sums are exact in any order.
namespace eglantine::test {
namespace {

const char *const boxes_then_rows = "reduce_boxes sum f32\nreduce_row sum f32\n",
                  *const two_levels = "reduce_row sum f32\nreduce_row sum f32\n";

class ReduceBoxes : public ReduceForms {
 protected:
  /// Axis i of the result is axis order[i] of a tensor in memory.
  Tensor lying(const Shape& shape, const Axes& order, DType dtype = DType::f32) {
    Shape there = shape;
    for (int i = 0; i < order.rank(); ++i) there[static_cast<int>(order[i])] = shape[i];
    return stored(there, dtype).permute(order);
  }

  /// Small integers as narrow elements, axis 0 the faster one in memory.
  Tensor narrow_across(int64_t rows, int64_t columns, DType dtype) {
    const Tensor numbers = round((uniform({columns, rows}, ++seed_) - 0.5F) * 100).eval(),
                 x = numbers.astype(dtype).eval();
    Words words;
    for (const float value : numbers.to_vector<float>())
      words.push_back(dtype == DType::f16    ? uint32_t{half(value).bits}
                      : dtype == DType::bf16 ? std::bit_cast<uint32_t>(value) >> 16
                                             : static_cast<uint32_t>(static_cast<int32_t>(value)) & 0xffU);
    moved_[x.node()->stored().buffer] = buffer_of(*device_, joined(words, x.node()->stored().storage));
    return x.transpose(0, 1);
  }

  /// A sum whose order is not promised, `finish` of it: the bits are the CPU's all the same.
  template <class Make, class Finish = std::identity>
  void expect_sum(const Make& make, const std::string& names, Finish finish = {}) {
    const auto total = [&] {
      const Tensor x = make();
      Axes axes;
      for (int axis = 0; axis < x.rank(); ++axis) axes.push_back(axis);
      return finish(pend(make_sum_in_any_order(x.node(), axes)));
    };
    AsHardware target(*device_, resident_);
    const ReduceKernel kernel = planned_reduce(total(), moved_);
    EXPECT_EQ(kernel.tree, layout::ReduceTree::any);
    EXPECT_EQ(bits_of(total()), bits_of(finish(sum(make())))) << "the CPU's order is the tree's";
    expect_reduce(*device_, target, kernel, names, bits_of(total()));
  }
};

Tensor whole(const Tensor& x) { return round(x * 6.0F); }
Tensor apart(const Tensor& a, const Tensor& b) { return abs(whole(a) - whole(b)) * whole(b); }

struct TwoOrders {
  Shape shape;
  Axes order;  ///< of the second operand
};

const TwoOrders two_orders[] = {{{700, 3, 130}, {2, 1, 0}},
                                {{523, 611}, {1, 0}},
                                {{317, 463, 2}, {2, 1, 0}},
                                {{317, 463, 2}, {0, 2, 1}},
                                {{1, 7, 193, 227}, {3, 1, 2, 0}},
                                {{70001, 4}, {1, 0}},
                                {{3, 99991}, {1, 0}},
                                {{13, 85, 3, 97}, {0, 3, 2, 1}},
                                {{2, 2, 2, 33001}, {3, 1, 2, 0}},
                                {{64, 64, 64}, {1, 2, 0}},
                                {{512, 1025}, {1, 0}},
                                {{5, 7, 11, 13, 3, 19}, {5, 4, 3, 2, 1, 0}}};

TEST_F(ReduceBoxes, sums_of_two_orders_take_each_element_once) {
  Draw draw = draw_one_of(2);
  for (const auto& [shape, order] : two_orders) {
    if (!draw.next()) continue;
    SCOPED_TRACE(to_string(shape));
    const Tensor a = stored(shape), b = lying(shape, order);
    expect_sum([&] { return apart(a, b); }, boxes_then_rows);
    expect_sum([&] { return apart(b, a); }, boxes_then_rows, [](const Tensor& x) { return x * 0.5F; });
  }
}

TEST_F(ReduceBoxes, operands_are_sliced_and_broadcast) {
  const Tensor a = stored({523, 1300}).slice(1, 3, 1303 - 3, 2), b = lying({523, 649}, {1, 0}),
               row = stored({1, 649}).expand({523, 649}), column = stored({523, 1}).expand({523, 649});
  expect_sum([&] { return apart(a, b) + whole(row); }, boxes_then_rows);
  expect_sum([&] { return apart(a, b) * whole(column); }, boxes_then_rows);
}

TEST_F(ReduceBoxes, what_runs_backwards_is_copied) {
  const Tensor a = stored({523, 649}), b = lying({523, 649}, {1, 0});
  expect_sum([&] { return apart(a, b.flip(1)); }, "map_transpose f32\nreduce_row sum f32\nreduce_row sum f32\n");
}

TEST_F(ReduceBoxes, short_rows_that_repeat_are_read_in_place) {
  const Tensor a = stored({30011, 13}), b = lying({30011, 13}, {1, 0}), row = stored({1, 13}).expand({30011, 13});
  expect_sum([&] { return apart(a, b) + whole(row); }, boxes_then_rows);
}

TEST_F(ReduceBoxes, several_operands_lie_across) {
  const Tensor a = stored({517, 611}), b = lying({517, 611}, {1, 0}), c = lying({517, 611}, {1, 0});
  expect_sum([&] { return apart(a, b) + whole(c); }, boxes_then_rows);
}

TEST_F(ReduceBoxes, narrow_elements_and_what_no_order_changes) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::i8}) {
    const Tensor a = stored({523, 611}, DType::i32), b = narrow_across(523, 611, dtype);
    const auto difference = [&] { return a - b.astype(DType::i32) * 3; };
    expect([&] { return max(difference()); }, "reduce_boxes max i32\nreduce_row max i32\n");
    expect([&] { return sum(difference()); }, "reduce_boxes sum i32\nreduce_row sum i32\n");
  }
  const Tensor a = stored({523, 611}), b = lying({523, 611}, {1, 0}), bits = lying({523, 611}, {1, 0}, DType::boolean);
  expect([&] { return min(where(bits, a, 1.0F)); }, "reduce_boxes min f32\nreduce_row min f32\n");
  expect([&] { return any(gt(a * b, 0.2499F)); }, "reduce_boxes any boolean\nreduce_row any boolean\n");
  expect([&] { return all(lt(a * b, 0.2499F)); }, "reduce_boxes all boolean\nreduce_row all boolean\n");
}

TEST_F(ReduceBoxes, groups_take_several_boxes) {
  const Tensor a = stored({2050, 700}), b = lying({2050, 700}, {1, 0});
  for (const int64_t resident : {512, 1 << 18}) {
    resident_ = resident;
    expect_sum([&] { return apart(a, b); }, boxes_then_rows);
  }
}

TEST_F(ReduceBoxes, others_keep_their_order) {
  const Tensor a = stored({523, 611}), b = lying({523, 611}, {1, 0}), c = stored({300, 310}),
               few = lying({300, 310}, {1, 0});
  expect_sum([&] { return apart(a, a); }, two_levels);
  expect_sum([&] { return apart(b, b); }, two_levels);
  expect_sum([&] { return apart(few, c); }, "reduce_row sum f32\n");
  expect([&] { return sum(apart(a, b)); }, std::string("map_transpose f32\n") + two_levels);
}

}  // namespace
}  // namespace eglantine::test

#include "graph/planning/flat_map.hpp"

#include <gtest/gtest.h>

#include "backend/device_state.hpp"
#include "graph/planning/plan.hpp"
#include "layout/layout.hpp"

/// The short way of planning makes the kernel that the long way makes.
namespace eglantine::test {
namespace {

const DevicePtr& device() {
  static const DevicePtr state = Device::open("cpu").state();
  return state;
}

BufferPtr new_buffer(int64_t bytes) { return std::make_shared<Buffer>(nullptr, bytes); }

NodePtr leaf(const Shape& shape, DType dtype = DType::f32) {
  return make_leaf(device(), shape, {new_buffer(shape.elements() * size_of(dtype)), word_storage(dtype)});
}

NodePtr constant(const Shape& shape, uint32_t bits, DType dtype = DType::f32) {
  return make_constant(device(), dtype, shape, bits);
}

void expect_same_operand(const Strided& a, const Strided& b) {
  EXPECT_EQ(a.storage, b.storage);
  EXPECT_EQ(a.layout.shape, b.layout.shape);
  EXPECT_EQ(a.layout.strides, b.layout.strides);
  EXPECT_EQ(a.layout.offset, b.layout.offset);
}

void expect_planned_alike(const NodePtr& x) {
  ASSERT_TRUE(is_flat(*x));
  const Plan planned = plan({x}, {.max_bindings = 16}, new_buffer);
  ASSERT_EQ(planned.kernels.size(), 1U);
  const auto& wanted = std::get<MapKernel>(planned.kernels.front());
  const MapKernel made = flat_map(*x, {new_buffer(16), dense_storage(x->dtype)});
  expect_same_operand(made.out, wanted.out);
  EXPECT_EQ(made.value.domain, wanted.value.domain);
  EXPECT_EQ(made.value.parameters, wanted.value.parameters);
  EXPECT_TRUE(made.value.iotas.empty());
  ASSERT_EQ(made.value.operands.size(), wanted.value.operands.size());
  for (size_t i = 0; i < made.value.operands.size(); ++i) {
    expect_same_operand(made.value.operands[i], wanted.value.operands[i]);
    EXPECT_EQ(made.value.operands[i].buffer, wanted.value.operands[i].buffer);
  }
  ASSERT_EQ(made.value.code.size(), wanted.value.code.size());
  for (size_t i = 0; i < made.value.code.size(); ++i) {
    EXPECT_EQ(made.value.code[i].op, wanted.value.code[i].op);
    EXPECT_EQ(made.value.code[i].dtype, wanted.value.code[i].dtype);
    EXPECT_EQ(made.value.code[i].args, wanted.value.code[i].args);
  }
}

TEST(FlatMap, is_the_kernel_that_planning_makes) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1}, Shape{13}, Shape{3, 4}, Shape{2, 1, 127}}) {
    SCOPED_TRACE(to_string(shape));
    const NodePtr x = leaf(shape), y = leaf(shape), two = constant(shape, 0x40000000);
    expect_planned_alike(make_elementwise(Op::exp, DType::f32, {x, nullptr, nullptr}));
    expect_planned_alike(make_elementwise(Op::add, DType::f32, {x, y, nullptr}));
    expect_planned_alike(make_elementwise(Op::add, DType::f32, {x, two, nullptr}));
    expect_planned_alike(make_elementwise(Op::sub, DType::f32, {two, x, nullptr}));
    expect_planned_alike(make_elementwise(Op::mul, DType::f32, {x, x, nullptr}));
    expect_planned_alike(make_elementwise(Op::mul, DType::f32, {two, two, nullptr}));
    expect_planned_alike(make_elementwise(Op::mul, DType::f32, {two, constant(shape, 0x40000000), nullptr}));
    expect_planned_alike(make_elementwise(Op::clip, DType::f32, {x, two, two}));
    expect_planned_alike(make_elementwise(Op::where, DType::f32, {leaf(shape, DType::boolean), y, x}));
    expect_planned_alike(make_elementwise(Op::cast, DType::i32, {x, nullptr, nullptr}));
  }
}

TEST(FlatMap, leaves_views_indices_and_pending_arguments_to_the_planner) {
  const NodePtr x = leaf({3, 4});
  const NodePtr turned = make_view(leaf({4, 3}), layout::permute(layout::contiguous(Shape{4, 3}), {1, 0}));
  const NodePtr pending = make_elementwise(Op::exp, DType::f32, {x, nullptr, nullptr});
  const NodePtr index = make_iota(device(), {3, 4});
  EXPECT_FALSE(is_flat(*x)) << "nothing to compute";
  EXPECT_FALSE(is_flat(*turned));
  EXPECT_FALSE(is_flat(*make_elementwise(Op::add, DType::f32, {x, turned, nullptr})));
  EXPECT_FALSE(is_flat(*make_elementwise(Op::add, DType::f32, {x, pending, nullptr})));
  EXPECT_FALSE(is_flat(*make_elementwise(Op::cast, DType::f32, {index, nullptr, nullptr})));
  EXPECT_TRUE(is_flat(*pending));
}

}  // namespace
}  // namespace eglantine::test

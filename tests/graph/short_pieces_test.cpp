#include <algorithm>
#include <utility>
#include <vector>

#include "backend/device_state.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "graph/node.hpp"
#include "layout/layout.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/kernel_count.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"

/// Many short pieces one behind the other: as many as bind are written by one kernel.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, ShortPieces);

struct Piece {
  Tensor tensor;
  Array array;
};

/// In turn what lies in memory, is transposed there, repeats a row, is computed from two operands, or is a sum, which
/// has a kernel of its own; of some shapes.
Piece piece(uint64_t number) {
  const int64_t rows = static_cast<int64_t>(number % 3) + 1;
  const Array whole = random_reals({rows, 13}, -1, 1, number), turned = random_reals({13, rows}, -1, 1, number),
              row = random_reals({1, 13}, -1, 1, number), tall = random_reals({7, rows, 13}, -1, 1, number);
  switch (number % 5) {
    case 0:
      return {upload(whole), whole};
    case 1:
      return {upload(turned).transpose(0, 1), naive::transpose(turned, 0, 1)};
    case 2:
      return {upload(row).expand({rows, 13}), naive::expand(row, {rows, 13})};
    case 3:
      return {upload(whole) - upload(whole), naive::map(whole, DType::f32, [](double) { return 0.0; })};
    default:
      return {sum(upload(tall), {0}), naive::sum(tall, {0})};
  }
}

EG_TEST(ShortPieces, lie_where_loops_put_them) {
  for (const uint64_t count : {2, 7, 40, 100}) {
    std::vector<Tensor> tensors;
    std::vector<Array> arrays;
    for (uint64_t i = 0; i < count; ++i) {
      const Piece next = piece(i);
      tensors.push_back(next.tensor);
      arrays.push_back(next.array);
    }
    EXPECT_TRUE(matches(concatenate(tensors, 0), naive::concatenate(arrays, 0), {0, 1e-5, 1e-6})) << count;
  }
}

EG_TEST(ShortPieces, are_written_as_many_at_a_time_as_bind) {
  constexpr int64_t count = 70;
  std::vector<Tensor> tensors;
  std::vector<Array> arrays;
  for (uint64_t i = 0; i < count; ++i) {
    arrays.push_back(random_reals({5, 3}, -1, 1, i));
    tensors.push_back(upload(arrays.back()));
  }
  const Tensor all = concatenate(tensors, 0);
  const int64_t most = std::min<int64_t>(32, device().state()->capabilities().max_bindings - 2);
  EXPECT_EQ(kernels_of(all), (count + most - 1) / most);
  EXPECT_TRUE(matches(all, naive::concatenate(arrays, 0)));
}

/// In windows of 64 KiB (tests/runs.cmake) no binding reaches all of them.
EG_TEST(ShortPieces, further_apart_than_a_binding_reaches) {
  for (const int64_t count : {6, 40}) {
    std::vector<Tensor> tensors;
    std::vector<Array> arrays;
    for (int64_t i = 0; i < count; ++i) {
      const Array x = random_reals({5000 + i % 3}, -1, 1, static_cast<uint64_t>(i));
      arrays.push_back(naive::map(x, DType::f32, [](double v) { return -v; }));
      tensors.push_back(-upload(x));
    }
    EXPECT_TRUE(matches(concatenate(tensors, 0), naive::concatenate(arrays, 0)));
  }
}

EG_TEST(ShortPieces, that_overlap_are_written_in_their_order) {
  const Array below = random_reals({10}, -1, 1, 1), above = random_reals({10}, -1, 1, 2);
  Layout first = layout::contiguous({10}), second = first;
  second.offset = 4;
  nodes::Placement placement{{upload(below).node(), upload(above).node()}, {first, second}, uint32_t{0}};
  const Tensor x = pend(make_placement({14}, DType::f32, device().state(), std::move(placement)));
  EXPECT_TRUE(matches(x, naive::concatenate({naive::slice(below, 0, 0, 4, 1), above}, 0)));
}

}  // namespace
}  // namespace eglantine::test

#include <bit>
#include <functional>

#include "eglantine/ops.hpp"
#include "eglantine/tile.hpp"
#include "support/custom_ops.hpp"
#include "support/devices.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/order.hpp"

/// Every operation whose result depends on an order, twenty times over the same operands: always the same bits, however
/// the device schedules its groups.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Order, Repeated);

using Tensors = std::vector<Tensor>;

std::vector<uint32_t> bits_of(const Tensor& x) {
  std::vector<uint32_t> bits;
  if (x.dtype() == DType::u32) return x.to_vector<uint32_t>();
  if (x.dtype() == DType::i32)
    for (const int32_t value : x.to_vector<int32_t>()) bits.push_back(static_cast<uint32_t>(value));
  else
    for (const float value : x.to_vector<float>()) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

std::vector<std::vector<uint32_t>> bits_of(const Tensors& results) {
  std::vector<std::vector<uint32_t>> bits;
  for (const Tensor& x : results) bits.push_back(bits_of(x));
  return bits;
}

void expect_same_bits(const char* name, const std::function<Tensors()>& results) {
  const auto first = bits_of(results());
  for (int time = 1; time < 20; ++time) ASSERT_EQ(bits_of(results()), first) << name << ", time " << time;
}

Tensors both(const std::pair<Tensor, Tensor>& pair) { return {pair.first, pair.second}; }

EG_TEST(Repeated, sorts_have_the_same_bits_every_time) {
  for (const Dims& shape : {Dims{30011}, Dims{40, 700}, Dims{100, 64}}) {
    const Tensor keys = upload(special_keys(shape)), values = upload(random_array(DType::f32, shape, 3));
    expect_same_bits("sort", [&] { return Tensors{sort(keys, -1)}; });
    expect_same_bits("argsort", [&] { return Tensors{argsort(keys, -1)}; });
    expect_same_bits("sort_by_key", [&] { return both(sort_by_key(keys, values)); });
    expect_same_bits("topk", [&] { return both(topk(keys, 13)); });
  }
}

EG_TEST(Repeated, unique_has_the_same_bits_every_time) {
  const Tensor keys = upload(keys_with_ties(DType::u32, {20011}));
  expect_same_bits("unique", [&] { return Tensors{unique(sort(keys, 0))}; });
}

EG_TEST(Repeated, scatters_of_repeated_indices_have_the_same_bits_every_time) {
  const Tensor x = upload(random_array(DType::f32, {301}, 1)), updates = upload(random_array(DType::f32, {20011}, 2));
  const Tensor index = upload(naive::random_indices({20011}, 301));
  expect_same_bits("scatter", [&] { return Tensors{scatter(x, 0, index, updates)}; });
  expect_same_bits("scatter_add", [&] { return Tensors{scatter_add(x, 0, index, updates)}; });
}

EG_TEST(Repeated, scatter_add_of_rows_has_the_same_bits_every_time) {
  const Tensor x = upload(random_array(DType::f32, {50, 70}, 1)),
               updates = upload(random_array(DType::f32, {300, 70}, 2));
  const Tensor index = upload(naive::random_indices({300, 70}, 50));
  expect_same_bits("scatter_add", [&] { return Tensors{scatter_add(x, 0, index, updates)}; });
}

EG_TEST(Repeated, scans_have_the_same_bits_every_time) {
  for (const auto& [shape, axis] : {std::pair{Dims{20011}, 0}, {Dims{100, 129}, 1}, {Dims{1025, 13}, 0}}) {
    const Tensor x = upload(random_reals(shape, 0.5, 1.5));
    expect_same_bits("cumsum", [&, axis = axis] { return Tensors{cumsum(x, axis)}; });
    expect_same_bits("cumprod", [&, axis = axis] { return Tensors{cumprod(x, axis)}; });
    expect_same_bits("cummax", [&, axis = axis] { return Tensors{cummax(x, axis)}; });
    expect_same_bits("scan", [&, axis = axis] { return Tensors{scan(x, log_add_exp(), axis)}; });
  }
}

EG_TEST(Repeated, selections_have_the_same_bits_every_time) {
  const Tensor x = upload(random_array(DType::f32, {300, 70}));
  const Tensor index = upload(naive::random_indices({300, 70}, 300)), rows = upload(naive::random_indices({500}, 300));
  expect_same_bits("compress", [&] { return Tensors{compress(x, gt(x, 0))}; });
  expect_same_bits("nonzero", [&] { return Tensors{nonzero(gt(x, 0))}; });
  expect_same_bits("gather", [&] { return Tensors{gather(x, 0, index)}; });
  expect_same_bits("take", [&] { return Tensors{take(x, rows, 0)}; });
}

EG_TEST(Repeated, own_reductions_and_tiles_have_the_same_bits_every_time) {
  const Tensor x = upload(random_reals({100, 515}, -3, 3));
  for (const Axes& axes : {Axes{}, Axes{0}, Axes{1}})
    expect_same_bits("reduce", [&] { return Tensors{reduce(x, log_add_exp(), axes)}; });
  for (const Dims& tile : {Dims{16, 16}, Dims{90, 500}}) {
    const PartitionView tiles(x, tile);
    expect_same_bits("tiles", [&] {
      return Tensors{tiles.sum(), tiles.max(), tiles.min(), tiles.reduce(log_add_exp())};
    });
  }
}

}  // namespace
}  // namespace eglantine::test

#include <thread>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random_data.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Device, Threads);

constexpr int workers = 8;

template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) threads.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

Tensor some_work(const Tensor& x) {
  const Tensor product = matmul(x, x.transpose(0, 1));
  return concatenate({sum(exp(product * 0.01F), {1}), max(product, {0}), neg(x).slice(1, 3, 4).reshape({-1})}, 0);
}

TEST_P(Threads, eight_at_once_compute_what_one_does) {
  const Array data = random_array(DType::f32, {37, 41});
  const Array expected = download(some_work(upload(data)));
  std::vector<Array> results(workers);
  in_threads([&](int i) {
    for (int round = 0; round < 10; ++round)
      results[static_cast<size_t>(i)] = download(some_work(upload(data, device())));
  });
  for (const Array& result : results) EXPECT_TRUE(matches(result, expected, bitwise));
}

TEST_P(Threads, one_pending_expression_read_by_all_is_computed_once) {
  const Tensor x = upload(random_array(DType::f32, {127, 13}));
  const Tensor shared = exp(x * 0.5F);
  const int64_t before = statistics(device()).kernels;
  std::vector<Array> results(workers);
  in_threads([&](int i) { results[static_cast<size_t>(i)] = download(shared); });
  EXPECT_EQ(statistics(device()).kernels - before, 1);
  for (const Array& result : results) EXPECT_TRUE(matches(result, results[0], bitwise));
}

TEST_P(Threads, opening_one_device_from_all_gives_one_device) {
  std::vector<Device> opened(workers, device());
  in_threads([&](int i) { opened[static_cast<size_t>(i)] = Device::open(GetParam()); });
  for (const Device& each : opened) EXPECT_EQ(each, device());
}

TEST_P(Threads, tensors_let_go_on_other_threads) {
  for (int round = 0; round < 20; ++round) {
    Tensor x = upload(random_array(DType::f32, {1025}));
    Tensor y = neg(x).eval();
    std::thread([x = std::move(x), y = std::move(y)]() mutable {
      x = Tensor(NodePtr());
      y = Tensor(NodePtr());
    }).join();
  }
  device().synchronize();
}

}  // namespace
}  // namespace eglantine::test

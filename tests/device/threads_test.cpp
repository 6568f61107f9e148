#include <algorithm>
#include <mutex>
#include <thread>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"
#include "support/random/random_programs.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Device, Threads);

constexpr int workers = 16;

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

EG_TEST(Threads, sixteen_at_once_compute_what_one_does) {
  const Array data = random_array(DType::f32, {37, 41});
  const Array expected = download(some_work(upload(data)));
  std::vector<Array> results(workers);
  in_threads([&](int i) {
    for (int round = 0; round < 10; ++round)
      results[static_cast<size_t>(i)] = download(some_work(upload(data, device())));
  });
  for (const Array& result : results) EXPECT_TRUE(matches(result, expected, bitwise));
}

EG_TEST(Threads, one_pending_expression_read_by_all_is_computed_once) {
  const Tensor x = upload(random_array(DType::f32, {127, 13}));
  const Tensor shared = exp(x * 0.5F);
  const int64_t before = statistics(device()).kernels;
  std::vector<Array> results(workers);
  in_threads([&](int i) { results[static_cast<size_t>(i)] = download(shared); });
  EXPECT_EQ(statistics(device()).kernels - before, 1);
  for (const Array& result : results) EXPECT_TRUE(matches(result, results[0], bitwise));
}

EG_TEST(Threads, opening_one_device_from_all_gives_one_device) {
  std::vector<Device> opened(workers, device());
  in_threads([&](int i) { opened[static_cast<size_t>(i)] = Device::open(spec()); });
  for (const Device& each : opened) EXPECT_EQ(each, device());
}

EG_TEST(Threads, tensors_let_go_on_other_threads) {
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

constexpr uint64_t structures = 4, draws = 4;

/// The random programs of these tests, pending, on the current device.
std::vector<Tensor> pending_programs() {
  std::vector<Tensor> programs;
  for (uint64_t structure = 0; structure < structures; ++structure)
    for (uint64_t draw = 0; draw < draws; ++draw) {
      programs.push_back(random_float_program(1000 + structure, draw).tensor);
      programs.push_back(random_integer_program(1000 + structure, draw).tensor);
    }
  return programs;
}

std::vector<Array> results_of(const std::vector<Tensor>& programs) {
  std::vector<Array> results;
  for (const Tensor& x : programs) results.push_back(download(x));
  return results;
}

/// Tensors that one thread leaves for the next to destroy.
class Graveyard {
 public:
  void leave(std::vector<Tensor> tensors) {
    const std::scoped_lock lock(mutex_);
    tensors_.swap(tensors);
  }

 private:
  std::mutex mutex_;
  std::vector<Tensor> tensors_;
};

EG_TEST(Threads, sixteen_at_once_make_run_and_drop_random_programs) {
  const std::vector<Array> expected = results_of(pending_programs());
  Graveyard graveyard;
  std::vector<std::vector<Array>> results(workers);
  in_threads([&](int i) {
    std::vector<Tensor> programs = pending_programs();
    results[static_cast<size_t>(i)] = results_of(programs);
    graveyard.leave(std::move(programs));
  });
  for (const std::vector<Array>& each : results)
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(matches(each[i], expected[i], bitwise)) << i;
}

/// Each thread reads in its own order, so that several wait for one result while others start the next.
TEST(ThreadsOnAllDevices, sixteen_at_once_read_shared_programs) {
  std::vector<std::vector<Array>> expected;
  std::vector<std::vector<Tensor>> shared;
  for (const std::string& spec : device_specs()) {
    Device::set_current(open_device(spec));
    expected.push_back(results_of(pending_programs()));
    shared.push_back(pending_programs());
  }
  std::vector<std::vector<Array>> results(workers);
  in_threads([&](int i) {
    const auto thread = static_cast<size_t>(i);
    const std::vector<Tensor>& programs = shared[thread % shared.size()];
    Random random(thread);
    std::vector<Array>& mine = results[thread];
    mine.resize(programs.size());
    for (size_t left = programs.size(), first = random.word() % left; left > 0; --left)
      mine[(first + left) % programs.size()] = download(programs[(first + left) % programs.size()]);
  });
  for (size_t thread = 0; thread < results.size(); ++thread)
    for (size_t i = 0; i < results[thread].size(); ++i)
      EXPECT_TRUE(matches(results[thread][i], expected[thread % shared.size()][i], bitwise)) << thread << ", " << i;
}

}  // namespace
}  // namespace eglantine::test

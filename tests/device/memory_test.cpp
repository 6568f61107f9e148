#include <sstream>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Device, Memory);
EG_ON_EACH_DEVICE(Device, Failure);

constexpr int64_t megabyte = 1 << 20;

EG_TEST(Memory, counts_what_tensors_hold) {
  device().synchronize();
  const MemoryInfo before = device().memory();
  {
    const Tensor x = exp(ones({megabyte})).eval();
    const MemoryInfo during = device().memory();
    EXPECT_GE(during.live - before.live, 4 * megabyte);
    EXPECT_LE(during.live - before.live, 8 * megabyte);
    EXPECT_GE(during.peak, during.live);
  }
  const MemoryInfo after = device().memory();
  EXPECT_EQ(after.live, before.live);
  EXPECT_GE(after.peak, before.live + 4 * megabyte);
}

EG_TEST(Memory, the_peak_begins_again_where_it_is_reset) {
  { const Tensor x = exp(ones({4 * megabyte})).eval(); }
  const Tensor held = exp(ones({megabyte})).eval();
  device().reset_peak();
  const MemoryInfo reset = device().memory();
  EXPECT_EQ(reset.peak, reset.live);
  { const Tensor x = exp(held).eval(); }
  const MemoryInfo after = device().memory();
  EXPECT_GE(after.peak - reset.peak, 4 * megabyte);
  EXPECT_LE(after.peak - reset.peak, 8 * megabyte);
}

EG_TEST(Memory, freed_memory_is_pooled_used_again_and_given_back) {
  device().trim();
  EXPECT_EQ(device().memory().pooled, 0);
  // kernels take turns with several blocks of a size
  const auto use = [] {
    for (int i = 0; i < 16; ++i) exp(ones({megabyte})).eval();
  };
  use();
  const int64_t pooled = device().memory().pooled;
  EXPECT_GE(pooled, 4 * megabyte);
  use();
  EXPECT_EQ(device().memory().pooled, pooled);
  device().trim();
  EXPECT_EQ(device().memory().pooled, 0);
}

EG_TEST(Memory, a_view_keeps_its_buffer_and_a_result_lets_its_sources_go) {
  device().synchronize();
  const int64_t before = device().memory().live;
  Tensor view = upload(random_array(DType::f32, {1000, 1000})).slice(0, 0, 1);
  EXPECT_GE(device().memory().live - before, 4000000);
  view = neg(view).eval();
  EXPECT_LT(device().memory().live - before, 100000);
}

EG_TEST(Memory, a_gather_lets_its_source_go) {
  device().synchronize();
  const int64_t before = device().memory().live;
  {
    const Tensor rows = upload(random_array(DType::f32, {1000, 1000}));
    take(rows, Tensor::from<int32_t>({7, 3}, {2}, device()), 0).to_vector<float>();
  }
  EXPECT_LT(device().memory().live - before, 100000);
}

EG_TEST(Memory, reused_memory_never_shows_through) {
  for (int round = 0; round < 20; ++round) {
    const Array x = random_array(DType::i32, {1025 + round}, static_cast<uint64_t>(round));
    const Tensor held = upload(x);
    const Tensor twice = held + held;
    EXPECT_TRUE(matches(twice - held, x));
  }
}

/// 2^60 bytes, more than any machine has.
Tensor impossible() { return exp(ones({int64_t{1} << 29, int64_t{1} << 29})); }

EG_TEST(Failure, more_memory_than_there_is_throws_when_read) {
  device().synchronize();
  const Tensor x = impossible();
  x.eval();
  EXPECT_THROW(x.slice(0, 0, 1).slice(1, 0, 1).eval().item<float>(), OutOfMemoryError);
  EXPECT_NO_THROW(device().synchronize());
}

EG_TEST(Failure, more_than_the_host_holds_is_said_by_who_reads) {
  const std::string rest =
      "] out of memory: the host has no room for the 4398046511104 bytes of the elements; work on smaller pieces";
  for (const Tensor& x : {zeros({int64_t{1} << 40}), zeros({int64_t{1} << 40}) + 1}) {
    EXPECT_ERROR(x.to_vector<float>(), OutOfMemoryError, "[Tensor::to_vector" + rest);
    for (const std::string& spec : device_specs())
      if (open_device(spec) != device()) EXPECT_ERROR(x.to(open_device(spec)), OutOfMemoryError, "[Tensor::to" + rest);
  }
  // Beyond the largest size of a vector.
  EXPECT_ERROR(zeros({int64_t{1} << 58}, DType::i32).to_vector<int32_t>(), OutOfMemoryError,
               "[Tensor::to_vector] out of memory: the host has no room for the 1152921504606846976 bytes of the "
               "elements; work on smaller pieces");
  const Tensor truths = zeros({int64_t{1} << 45}, DType::boolean);
  EXPECT_ERROR(truths.to_vector<bool>(), OutOfMemoryError,
               "[Tensor::to_vector] out of memory: the host has no room for the 35184372088832 bytes of the elements; "
               "work on smaller pieces");
  EXPECT_NO_THROW(device().synchronize());
}

EG_TEST(Failure, a_tensor_that_no_memory_holds_prints_its_ends) {
  std::ostringstream out;
  out << zeros({int64_t{1} << 40});
  EXPECT_EQ(out.str(), "[0. 0. 0. ... 0. 0. 0.]");
}

EG_TEST(Failure, everything_computed_from_a_failed_result_throws_the_same) {
  const Tensor x = impossible();
  x.eval();
  const Tensor y = (x.slice(0, 0, 1).slice(1, 0, 4) + 1.0F).eval();
  const Tensor z = sum(y).eval();
  EXPECT_THROW(y.to_vector<float>(), OutOfMemoryError);
  EXPECT_THROW(y.to_vector<float>(), OutOfMemoryError);
  EXPECT_THROW(z.item<float>(), OutOfMemoryError);
  EXPECT_NO_THROW(device().synchronize());
}

EG_TEST(Failure, leaves_the_device_and_other_tensors_usable) {
  const Tensor good = upload(iota(DType::f32, {13}));
  impossible().eval();
  EXPECT_TRUE(matches(neg(neg(good)), iota(DType::f32, {13})));
  EXPECT_THROW(device().synchronize(), OutOfMemoryError);
  EXPECT_TRUE(matches(good, iota(DType::f32, {13})));
}

EG_TEST(Failure, says_how_much_was_asked_for) {
  try {
    impossible().eval().slice(0, 0, 1).slice(1, 0, 1).item<float>();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const OutOfMemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("1152921504606846976"), std::string::npos) << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
  EXPECT_NO_THROW(device().synchronize());
}

}  // namespace
}  // namespace eglantine::test

#include <gtest/gtest.h>

#include "layout/layout.hpp"
#include "lower/schedules.hpp"

/// The forms of gathers for hardware, on any device.
namespace eglantine::test {
namespace {

constexpr int64_t places_to_gather = 481, invocations_held = 256;

Words scattered_indices(int64_t count) {
  Words indices;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = i * 7919 % places_to_gather;
    indices.push_back(static_cast<uint32_t>(i % 3 == 0 ? index - places_to_gather : index));
  }
  return indices;
}

/// `count` words of a table, as hardware with few resident invocations gathers them.
class GatherSchedules : public testing::TestWithParam<int64_t> {
 protected:
  void gather(bool large_pages) {
    const auto count = static_cast<int64_t>(indices_.size());
    const Layout whole = layout::contiguous(Shape{count});
    GatherKernel kernel;
    kernel.index = {
        {count}, {{buffer_of(*device_, indices_), StorageType::i32, whole}}, {}, {}, {{Op::load, DType::i32, {0}}}};
    kernel.source = {buffer_of(*device_, counting(places_to_gather)), StorageType::u32, {{count}, {0}, 0}};
    kernel.length = places_to_gather;
    kernel.stride = 1;
    kernel.epilogue = {{count}, {}, {}, {}, {{Op::accumulator, DType::u32}}};
    kernel.out = {buffer_of(*device_, Words(indices_.size())), StorageType::u32, whole};
    kernel.check = std::make_shared<const IndexCheck>(IndexCheck{"take", {places_to_gather}, 0, {count}, whole});
    kernel.place = whole;
    AsHardware hardware(*device_, invocations_held);
    hardware.plan_for().large_pages = large_pages;
    hardware.run(kernel);
    found_ = download(*device_, kernel.out.buffer->storage(), indices_.size());
    check_ = device_->flags().take();
    device_->flags().settle();
  }

  std::unique_ptr<gl::GlRuntime> device_ = open_runtime();
  Words indices_ = scattered_indices(GetParam()), found_;
  CheckPtr check_;
};

TEST_P(GatherSchedules, give_every_element) {
  const Words elements = counting(places_to_gather);
  for (const bool large_pages : {false, true}) {
    gather(large_pages);
    EXPECT_FALSE(check_->error());
    for (size_t i = 0; i < indices_.size(); ++i) {
      const auto index = static_cast<int32_t>(indices_[i]);
      ASSERT_EQ(found_[i], elements[static_cast<size_t>(index < 0 ? index + places_to_gather : index)]) << "at " << i;
    }
  }
}

TEST_P(GatherSchedules, report_the_first_index_out_of_range) {
  indices_.back() = places_to_gather;
  indices_[indices_.size() / 2] = static_cast<uint32_t>(-places_to_gather - 1);
  const std::string place = std::to_string(indices_.size() / 2);
  gather(true);
  try {
    check_->error().raise();
    ADD_FAILURE() << "no error";
  } catch (const IndexError& error) {
    EXPECT_NE(std::string(error.what()).find("index -482 at (" + place + ",)"), std::string::npos) << error.what();
  }
}

// A part of a vector, one vector an invocation, and several, with a rest.
INSTANTIATE_TEST_SUITE_P(Lower, GatherSchedules, testing::Values(2, 1000, 4 * 2 * 4096, 4 * 2 * 4096 + 4 * 512 + 3));

}  // namespace
}  // namespace eglantine::test

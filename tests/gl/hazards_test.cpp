#include <vector>

#include "gl/fixture.hpp"

namespace eglantine::test {
namespace {

GLbitfield barriers = 0;
int barrier_count = 0;
decltype(gl::Functions::MemoryBarrier) driver_barrier = nullptr;

/// A runtime that counts barriers.
class Hazards : public ::testing::Test {
 protected:
  Hazards() {
    gl::Options options;
    options.transfer = gl::TransferPath::direct;
    options.replace_functions = [](gl::Functions& functions) {
      driver_barrier = functions.MemoryBarrier;
      functions.MemoryBarrier = [](GLbitfield bits) {
        barriers |= bits;
        ++barrier_count;
        driver_barrier(bits);
      };
    };
    runtime_ = open_runtime(options);
    for (auto* storage : {&a_, &b_, &c_, &d_}) *storage = runtime_->allocate(64);
    reset_counts();
  }
  void copy(const std::unique_ptr<Storage>& from, const std::unique_ptr<Storage>& to) {
    runtime_->dispatch(multiply_add(*runtime_, *from, *to, 16, 1, 0));
  }
  void reset_counts() { barriers = 0, barrier_count = 0; }

  std::unique_ptr<gl::GlRuntime> runtime_;
  std::unique_ptr<Storage> a_, b_, c_, d_;
};

TEST_F(Hazards, kernels_on_different_buffers_do_not_wait) {
  copy(a_, b_);
  copy(c_, d_);
  EXPECT_EQ(barrier_count, 0);
}

TEST_F(Hazards, kernels_that_only_read_one_buffer_do_not_wait) {
  copy(a_, b_);
  copy(a_, c_);
  EXPECT_EQ(barrier_count, 0);
}

TEST_F(Hazards, a_read_after_a_write_waits_once) {
  copy(a_, b_);
  copy(b_, c_);
  const GLbitfield texels = runtime_->target().texel_reads ? GL_TEXTURE_FETCH_BARRIER_BIT : 0;
  EXPECT_EQ(barriers, static_cast<GLbitfield>(GL_SHADER_STORAGE_BARRIER_BIT) | texels);
  copy(b_, d_);
  EXPECT_EQ(barrier_count, 1);
}

TEST_F(Hazards, a_write_after_a_write_waits) {
  copy(a_, b_);
  copy(c_, b_);
  EXPECT_EQ(barrier_count, 1);
}

TEST_F(Hazards, kernels_side_by_side_write_one_buffer_and_do_not_wait) {
  const auto beside = [&](const std::unique_ptr<Storage>& from, const std::unique_ptr<Storage>& to) {
    gl::Dispatch dispatch = multiply_add(*runtime_, *from, *to, 16, 1, 0);
    dispatch.beside = dispatch.written;
    runtime_->dispatch(dispatch);
  };
  copy(a_, b_);
  beside(c_, b_);
  EXPECT_EQ(barrier_count, 0);
  beside(b_, b_);  // it reads what the one before wrote
  EXPECT_EQ(barrier_count, 1);
  copy(a_, c_);
  beside(d_, b_);  // the one before wrote something else
  EXPECT_EQ(barrier_count, 2);
}

TEST_F(Hazards, a_write_after_a_read_waits) {
  copy(a_, b_);
  copy(c_, a_);
  EXPECT_EQ(barrier_count, 1);
}

TEST_F(Hazards, a_download_of_what_a_kernel_wrote_waits_for_updates) {
  copy(a_, b_);
  download(*runtime_, *b_, 16);
  EXPECT_EQ(barriers, static_cast<GLbitfield>(GL_BUFFER_UPDATE_BARRIER_BIT));
  download(*runtime_, *b_, 16);
  EXPECT_EQ(barrier_count, 1);
}

TEST_F(Hazards, data_that_no_kernel_touched_does_not_wait) {
  upload(*runtime_, *a_, counting(16));
  download(*runtime_, *a_, 16);
  copy(a_, b_);
  EXPECT_EQ(barrier_count, 0);
}

TEST_F(Hazards, an_upload_over_what_a_kernel_reads_waits) {
  copy(a_, b_);
  upload(*runtime_, *a_, counting(16));
  EXPECT_EQ(barrier_count, 1);
}

TEST_F(Hazards, memory_of_the_pool_keeps_its_history) {
  std::vector<std::unique_ptr<Storage>> used(8);  // of so many freed ones the next takes one, though it waits
  for (auto& block : used) copy(a_, block = runtime_->allocate(64));
  used.clear();
  b_ = runtime_->allocate(64);
  copy(c_, b_);
  EXPECT_EQ(barrier_count, 1);
}

}  // namespace
}  // namespace eglantine::test

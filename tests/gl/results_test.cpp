#include "backend/device_state.hpp"
#include "backend/gl/gl_backend.hpp"
#include "eglantine/eglantine.hpp"
#include "gl/fixture.hpp"

/// Results of a few bytes that the host reads lie in memory that the host sees, until a kernel reads them.
namespace eglantine::test {
namespace {

int copies = 0;
decltype(gl::Functions::CopyBufferSubData) driver_copy = nullptr;
decltype(gl::Functions::CopyNamedBufferSubData) driver_named_copy = nullptr;

void count_copies(gl::Functions& functions) {
  copies = 0;
  driver_copy = functions.CopyBufferSubData;
  functions.CopyBufferSubData = [](GLenum from, GLenum to, GLintptr from_offset, GLintptr to_offset, GLsizeiptr bytes) {
    ++copies;
    driver_copy(from, to, from_offset, to_offset, bytes);
  };
  driver_named_copy = functions.CopyNamedBufferSubData;
  if (driver_named_copy == nullptr) return;
  functions.CopyNamedBufferSubData = [](GLuint from, GLuint to, GLintptr from_offset, GLintptr to_offset,
                                        GLsizeiptr bytes) {
    ++copies;
    driver_named_copy(from, to, from_offset, to_offset, bytes);
  };
}

gl::Options by_staging(std::function<void(gl::Functions&)> replace = count_copies) {
  gl::Options options;
  options.transfer = gl::TransferPath::staging;
  options.replace_functions = std::move(replace);
  return options;
}

bool host_sees(const Storage& storage) { return static_cast<const gl::GlStorage&>(storage).block().host != nullptr; }

/// On GL, or on GLES.
class GlResults : public ::testing::TestWithParam<bool> {
 protected:
  GlResults() : from_(runtime_->allocate(64)) { upload(*runtime_, *from_, counting(16)); }
  std::unique_ptr<Storage> doubled(std::unique_ptr<Storage> to) {
    runtime_->dispatch(multiply_add(*runtime_, *from_, *to, 16, 2, 0));
    return to;
  }
  void expect_doubled(const Storage& storage) {
    const std::vector<uint32_t> values = download(*runtime_, storage, 16);
    for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(values[i], 2 * i);
  }

  /// Needs a driver with persistent mapping.
  bool can_see() const { return runtime_->context().gl().BufferStorage != nullptr; }

  std::unique_ptr<gl::GlRuntime> runtime_ = open_runtime(by_staging(), GetParam());
  std::unique_ptr<Storage> from_;
};

INSTANTIATE_TEST_SUITE_P(Gl, GlResults, ::testing::Bool(), [](const auto& each) { return each.param ? "gles" : "gl"; });

TEST_P(GlResults, are_read_without_a_copy) {
  const auto result = doubled(runtime_->allocate_for_reading(64));
  ASSERT_EQ(host_sees(*result), can_see());
  copies = 0;
  for (int i = 0; i < 3; ++i) expect_doubled(*result);
  EXPECT_EQ(copies, 0);
}

TEST_P(GlResults, can_be_read_in_part) {
  const auto result = doubled(runtime_->allocate_for_reading(64));
  uint32_t fifth = 0;
  runtime_->download(*result, 20, std::as_writable_bytes(std::span(&fifth, 1)));
  EXPECT_EQ(fifth, 10U);
}

TEST_P(GlResults, are_new_each_time_though_their_memory_is_old) {
  for (uint32_t factor = 1; factor < 50; ++factor) {
    const auto result = runtime_->allocate_for_reading(64);
    runtime_->dispatch(multiply_add(*runtime_, *from_, *result, 16, factor, 0));
    EXPECT_EQ(download(*runtime_, *result, 16)[15], 15 * factor);
  }
}

TEST_P(GlResults, are_copied_once_when_kernels_read_them) {
  const auto result = doubled(runtime_->allocate_for_reading(64));
  copies = 0;
  const auto copy = runtime_->copy_for_kernels(*result);
  ASSERT_EQ(copy != nullptr, can_see());
  if (!copy) return expect_doubled(*result);  // already in device memory
  EXPECT_EQ(copies, 1);
  EXPECT_FALSE(host_sees(*copy));
  EXPECT_EQ(runtime_->copy_for_kernels(*copy), nullptr);
  expect_doubled(*copy);
}

TEST_P(GlResults, of_many_bytes_lie_in_device_memory) {
  EXPECT_FALSE(host_sees(*runtime_->allocate_for_reading(1 << 20)));
}

TEST_P(GlResults, count_as_memory_until_they_are_trimmed) {
  const int64_t before = runtime_->memory().live;
  auto result = runtime_->allocate_for_reading(64);
  EXPECT_EQ(runtime_->memory().live, before + 256);
  result.reset();
  EXPECT_EQ(runtime_->memory().live, before);
  runtime_->trim();
  EXPECT_EQ(runtime_->memory().pooled, 0);
}

TEST(GlResultsElsewhere, lie_in_device_memory_where_nothing_can_be_mapped) {
  const auto refuse_little = [](gl::Functions& functions) {
    static const auto map = functions.MapBufferRange;
    functions.MapBufferRange = [](GLenum target, GLintptr offset, GLsizeiptr bytes, GLbitfield flags) -> void* {
      return bytes > 256 ? map(target, offset, bytes, flags) : nullptr;
    };
  };
  const auto runtime = open_runtime(by_staging(refuse_little));
  EXPECT_FALSE(host_sees(*runtime->allocate_for_reading(64)));
}

TEST(GlResultsElsewhere, lie_in_device_memory_where_that_is_read_directly) {
  gl::Options options;
  options.transfer = gl::TransferPath::direct;
  EXPECT_FALSE(host_sees(*open_runtime(options)->allocate_for_reading(64)));
}

/// Through the verbs: results that were read are operands of kernels of every family.
TEST(GlResultsOfVerbs, are_right_before_and_after_kernels_read_them) {
  const auto open = [] { return gl::open_backend("gl", by_staging()); };
  const Device device(std::make_shared<DeviceState>(Queue::start(open)));
  const Tensor x = Tensor::from(std::vector<float>{1, 2, 3, 4}, {4}, device);
  const Tensor twice = x * 2.0F, total = sum(x);
  EXPECT_EQ(twice.to_vector<float>(), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(total.item<float>(), 10);
  EXPECT_EQ((twice + total).to_vector<float>(), (std::vector<float>{12, 14, 16, 18}));
  EXPECT_EQ(matmul(twice.reshape({2, 2}), twice.reshape({2, 2})).to_vector<float>(),
            (std::vector<float>{28, 40, 60, 88}));
  EXPECT_EQ(twice.to_vector<float>(), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(total.item<float>(), 10);
}

}  // namespace
}  // namespace eglantine::test

#include "backend/gl/execution/index_flags.hpp"

#include "eglantine/error.hpp"
#include "gl/fixture.hpp"
#include "layout/layout.hpp"

namespace eglantine::test {
namespace {

/// A gather of 4 elements from 4, on a runtime of its own.
class IndexFlagsOf {
 public:
  explicit IndexFlagsOf(const gl::Options& options) : runtime_(open_runtime(options)) {}

  gl::GlRuntime& runtime() { return *runtime_; }

  CheckPtr gather(const std::vector<uint32_t>& indices) {
    const Layout whole = layout::contiguous(Shape{4});
    const Strided index{buffer_of(*runtime_, indices), StorageType::i32, whole};
    GatherKernel kernel;
    kernel.index = {{4}, {index}, {}, {}, {{Op::load, DType::i32, {0, -1, -1}}}};
    kernel.source = {buffer_of(*runtime_, counting(4)), StorageType::u32, {{4}, {0}, 0}};
    kernel.length = 4;
    kernel.stride = 1;
    kernel.epilogue = {{4}, {}, {}, {}, {{Op::accumulator, DType::u32}}};
    kernel.out = {buffer_of(*runtime_, counting(4)), StorageType::u32, whole};
    kernel.check = std::make_shared<const IndexCheck>(IndexCheck{"take", {4}, 0, {4}, whole});
    kernel.place = whole;
    runtime_->run(kernel);
    run_.push_back(kernel);
    return runtime_->flags().take();
  }

  static std::string outcome(const Check& check) {
    try {
      if (check.error()) check.error().raise();
      return check.settled() ? "good" : "open";
    } catch (const IndexError& error) {
      return error.what();
    }
  }

 private:
  std::unique_ptr<gl::GlRuntime> runtime_;
  std::vector<GatherKernel> run_;  ///< whose memory no later one gets
};

constexpr const char* message = "[take] index 4 at (2,) lies outside [-4, 4): axis 0 of (4,)";

TEST(IndexFlags, tell_of_all_open_checks_at_once_by_either_transfer) {
  for (const gl::TransferPath path : {gl::TransferPath::direct, gl::TransferPath::staging}) {
    gl::Options options;
    options.transfer = path;
    IndexFlagsOf device(options);
    const CheckPtr good = device.gather({0, 1, 2, 3}), bad = device.gather({0, 1, 4, 5});
    EXPECT_EQ(IndexFlagsOf::outcome(*bad), "open");
    device.runtime().flags().settle();
    EXPECT_EQ(IndexFlagsOf::outcome(*good), "good");
    EXPECT_EQ(IndexFlagsOf::outcome(*bad), message);
  }
}

TEST(IndexFlags, make_no_kernel_wait_for_another) {
  static int waits = 0;
  static decltype(gl::Functions::MemoryBarrier) of_driver = nullptr;
  gl::Options options;
  options.transfer = gl::TransferPath::direct;
  options.replace_functions = [](gl::Functions& functions) {
    of_driver = functions.MemoryBarrier;
    functions.MemoryBarrier = [](GLbitfield bits) {
      ++waits;
      of_driver(bits);
    };
  };
  IndexFlagsOf device(options);
  const CheckPtr first = device.gather({0, 1, 2, 3});
  waits = 0;
  const CheckPtr second = device.gather({0, 1, 4, 5}), third = device.gather({3, 2, 1, 0});
  EXPECT_EQ(waits, 0);
  device.runtime().flags().settle();
  EXPECT_GT(waits, 0) << "the host waits for all";
  EXPECT_EQ(IndexFlagsOf::outcome(*second), message);
  EXPECT_EQ(IndexFlagsOf::outcome(*third), "good");
}

TEST(IndexFlags, are_settled_by_themselves_when_too_many_are_open) {
  IndexFlagsOf device({});
  const CheckPtr bad = device.gather({0, 1, 4, 5});
  std::vector<CheckPtr> others;
  // The last flag stays free, for a stall error of the kernel that takes the one before it.
  for (int64_t i = 1; i < gl::IndexFlags::capacity - 1; ++i) others.push_back(device.gather({0, 1, 2, 3}));
  EXPECT_EQ(IndexFlagsOf::outcome(*bad), "open");
  const CheckPtr one_more = device.gather({3, 9, 1, 1});
  EXPECT_EQ(IndexFlagsOf::outcome(*bad), message);
  for (const CheckPtr& other : others) EXPECT_EQ(IndexFlagsOf::outcome(*other), "good");
  EXPECT_EQ(IndexFlagsOf::outcome(*one_more), "open");
  device.runtime().flags().settle();
  EXPECT_EQ(IndexFlagsOf::outcome(*one_more), "[take] index 9 at (1,) lies outside [-4, 4): axis 0 of (4,)");
}

TEST(IndexFlags, of_a_lost_device_stay_open) {
  static GLenum status = GL_NO_ERROR;
  status = GL_NO_ERROR;
  gl::Options options;
  options.replace_functions = [](gl::Functions& functions) {
    functions.GetGraphicsResetStatus = [] { return status; };
  };
  IndexFlagsOf device(options);
  const CheckPtr bad = device.gather({0, 1, 4, 5});
  status = GL_GUILTY_CONTEXT_RESET;
  EXPECT_THROW(device.runtime().flags().settle(), DeviceError);
  EXPECT_EQ(IndexFlagsOf::outcome(*bad), "open");
  EXPECT_THROW(device.gather({0, 1, 2, 3}), DeviceError);
}

}  // namespace
}  // namespace eglantine::test

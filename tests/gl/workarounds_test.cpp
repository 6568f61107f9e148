#include "backend/gl/context/workarounds.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include "backend/gl/context/make_target.hpp"
#include "backend/gl/execution/programs/program_text.hpp"
#include "gl/fixture.hpp"
#include "support/as_hardware.hpp"

/// The table of workarounds: its conditions hold where they should, its rows are documented, and each has a test.
namespace eglantine::test {
namespace {

using gl::Driver;
using gl::Quirk;

Driver named(const char* vendor, const char* renderer, bool emulated = false) {
  Driver driver;
  driver.vendor = vendor;
  driver.renderer = renderer;
  driver.emulated = emulated;
  driver.software = gl::in_force(Quirk::on_the_cpu, driver);
  return driver;
}

Driver llvmpipe() { return named("Mesa", "llvmpipe (LLVM 15.0.6, 256 bits)", true); }
Driver zink_on_lavapipe() { return named("Mesa", "zink (llvmpipe (LLVM 15.0.6, 256 bits))", true); }
Driver zink_on_a_gpu() { return named("Mesa", "zink (AMD Radeon RX 6800)", true); }
Driver h200() {
  Driver driver = named("NVIDIA Corporation", "NVIDIA H200/PCIe/SSE2");
  driver.thread_groups = driver.subgroups = true;
  return driver;
}

/// The names of this program's tests without the device: "Reduce/Sum.of_a_row".
std::vector<std::string> names_of_tests() {
  std::vector<std::string> names;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(k)->name();
      names.push_back(name.substr(0, name.find('/', name.find('.'))));
    }
  }
  return names;
}

TEST(Workarounds, hold_for_the_drivers_that_they_are_for) {
  struct Expectation {
    Quirk quirk;
    bool on_llvmpipe, on_zink_on_lavapipe, on_zink_on_a_gpu, on_h200;
  };
  const std::vector<Expectation> expectations{
      {Quirk::no_compute, false, false, false, false},     {Quirk::on_the_cpu, true, true, false, false},
      {Quirk::few_loop_trips, true, true, false, false},   {Quirk::slow_halves, true, true, false, false},
      {Quirk::slow_staging, true, true, false, false},     {Quirk::memory_of_the_host, true, true, false, false},
      {Quirk::slow_kernels, true, true, false, false},     {Quirk::flushes, true, true, false, false},
      {Quirk::stale_uniforms, false, true, false, false},  {Quirk::late_compilation, false, true, false, false},
      {Quirk::unseen_texels, false, true, false, false},   {Quirk::waiting_groups, false, false, false, true},
      {Quirk::small_pages, false, false, false, true},     {Quirk::unreported_residency, false, false, true, false},
      {Quirk::moved_shared_loads, true, true, true, true}, {Quirk::doubtful_isnan, true, true, true, false}};
  for (const Expectation& expected : expectations) {
    SCOPED_TRACE(gl::workarounds()[static_cast<size_t>(expected.quirk)].name);
    EXPECT_EQ(gl::in_force(expected.quirk, llvmpipe()), expected.on_llvmpipe);
    EXPECT_EQ(gl::in_force(expected.quirk, zink_on_lavapipe()), expected.on_zink_on_lavapipe);
    EXPECT_EQ(gl::in_force(expected.quirk, zink_on_a_gpu()), expected.on_zink_on_a_gpu);
    EXPECT_EQ(gl::in_force(expected.quirk, h200()), expected.on_h200);
  }
  EXPECT_TRUE(gl::in_force(Quirk::no_compute, named("Mesa", "softpipe", true)));
  EXPECT_FALSE(gl::in_force(Quirk::slow_blocks, llvmpipe())) << "not before its limits are known";
  Driver with_texels = llvmpipe();
  with_texels.large_texels = true;
  EXPECT_TRUE(gl::in_force(Quirk::slow_blocks, with_texels));
  with_texels = zink_on_lavapipe();
  with_texels.large_texels = true;
  EXPECT_FALSE(gl::in_force(Quirk::slow_blocks, with_texels));
}

TEST(Workarounds, decide_what_the_device_under_test_is_planned_for) {
  const auto runtime = open_runtime();
  const gl::Target& target = runtime->target();
  const auto in_force = [&](Quirk quirk) { return gl::in_force(quirk, runtime->driver()); };
  EXPECT_EQ(target.software, in_force(Quirk::on_the_cpu));
  EXPECT_EQ(target.max_loop_trips > 0, in_force(Quirk::few_loop_trips));
  EXPECT_EQ(target.texel_reads, in_force(Quirk::slow_blocks));
  EXPECT_EQ(target.forward_progress, in_force(Quirk::waiting_groups));
}

TEST(Workarounds, each_name_a_test_of_this_program) {
  const std::vector<std::string> tests = names_of_tests();
  for (const gl::Workaround& row : gl::workarounds())
    EXPECT_TRUE(std::find(tests.begin(), tests.end(), row.test) != tests.end()) << row.name << ": " << row.test;
}

TEST(Workarounds, are_documented_as_they_are) {
  std::ifstream file(EGLANTINE_SOURCE_DIR "/docs/drivers.md");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(gl::workarounds_in_markdown()), std::string::npos)
      << "docs/drivers.md wants the table that `eglantine-info --workarounds` prints";
}

TEST(Workarounds, residency_is_guessed_by_the_vendor) {
  EXPECT_EQ(gl::guessed_residency(h200()), 64 * 2048);
  EXPECT_EQ(gl::guessed_residency(named("AMD", "AMD Radeon RX 6800")), 32 * 2048);
  Driver phone = named("Qualcomm", "Adreno (TM) 650");
  EXPECT_EQ(gl::guessed_residency(phone), 16384);
  phone.gles = true;
  EXPECT_EQ(gl::guessed_residency(phone), 8192);
}

TEST(Workarounds, uniforms_are_read_at_computed_places_but_declared_as_before) {
  EXPECT_EQ(gl::with_computed_uniforms("layout(location = 0) uniform uint eg_u[9];\nuint x = eg_u[3] + eg_units[2];"),
            "layout(location = 0) uniform uint eg_u[9];\n"
            "uint x = eg_u[int(gl_NumWorkGroups.y >> 31u) + int(3)] + eg_units[2];");
}

/// Mesa's zink compiles uniforms that conditions depend on into the program, and misses an update after a few changes.
TEST(Workarounds, uniforms_that_decide_are_seen_after_every_change) {
  for (const bool gles : {false, true}) {
    const auto runtime = open_runtime({}, gles);
    constexpr uint32_t count = 1024;
    const auto x = runtime->allocate(count * 4), y = runtime->allocate(count * 4);
    upload(*runtime, *x, counting(count));
    for (const uint32_t length : {1U, 2U, 3U, 5U, 8U, 13U, 21U, 34U, 1024U, 2U, 1U, 512U}) {
      upload(*runtime, *y, std::vector<uint32_t>(count, 7));
      gl::Dispatch dispatch = multiply_add(*runtime, *x, *y, length, 3, 1);
      dispatch.groups = {4, 1, 1};
      dispatch.ranges = {{x.get(), 0, count * 4}, {y.get(), 0, count * 4}};
      runtime->dispatch(dispatch);
      const std::vector<uint32_t> found = download(*runtime, *y, count);
      for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(found[i], i < length ? 3 * i + 1 : 7) << length << ", " << i;
    }
  }
}

/// Fences of the first two dispatches of a program, on a device with this renderer's name.
std::array<int, 2> fences_of_two_dispatches(const char* renderer) {
  static gl::Functions driver;
  static const char* name = nullptr;
  static int fences = 0;
  name = renderer;
  gl::Options options;
  options.replace_functions = [](gl::Functions& functions) {
    driver = functions;
    functions.GetString = [](GLenum what) {
      return what == GL_RENDERER ? reinterpret_cast<const GLubyte*>(name) : driver.GetString(what);
    };
    functions.FenceSync = [](GLenum condition, GLbitfield flags) {
      ++fences;
      return driver.FenceSync(condition, flags);
    };
  };
  const auto runtime = open_runtime(options);
  const auto x = runtime->allocate(64), y = runtime->allocate(64);
  std::array<int, 2> found{};
  for (int& count : found) {
    fences = 0;
    runtime->dispatch(multiply_add(*runtime, *x, *y, 16, 3, 1));
    count = fences;
  }
  return found;
}

TEST(Workarounds, a_program_has_been_compiled_when_its_first_dispatch_returns) {
  EXPECT_EQ(fences_of_two_dispatches("zink (llvmpipe (LLVM 15.0.6, 256 bits))"), (std::array{1, 0}));
  EXPECT_EQ(fences_of_two_dispatches("llvmpipe (LLVM 15.0.6, 256 bits)"), (std::array{0, 0}));
}

TEST(Workarounds, texel_buffers_and_storage_blocks_give_the_same_bits) {
  const auto device = open_runtime();
  const auto buffer = [&](const std::vector<uint32_t>& words) {
    auto result = std::make_shared<Buffer>(nullptr, static_cast<int64_t>(words.size()) * 4);
    result->set_storage(device->allocate(result->bytes()));
    upload(*device, result->storage(), words);
    return result;
  };
  constexpr int64_t rows = 37, length = 1029;
  const BufferPtr x = buffer(counting(rows * length, 3));
  const Layout all{{rows, length}, {length, 1}, 0}, each{{rows}, {1}, 0};
  std::vector<std::vector<uint32_t>> results;
  for (const bool texels : {false, device->target().texel_reads}) {
    AsTarget planned(*device, device->target());
    planned.plan_for().texel_reads = texels;
    const BufferPtr out = buffer(std::vector<uint32_t>(rows));
    planned.run(ReduceKernel{{all.shape, {{x, StorageType::u32, all}}, {}, {}, {{Op::load, DType::u32, {0, -1, -1}}}},
                             1,
                             Reduction::sum,
                             layout::ReduceTree::row,
                             {each.shape, {}, {}, {}, {{Op::accumulator, DType::u32, {-1, -1, -1}}}},
                             {out, StorageType::u32, each}});
    results.push_back(download(*device, out->storage(), rows));
  }
  EXPECT_EQ(results[0], results[1]);
  for (uint32_t row = 0; row < rows; ++row) {
    const uint32_t first = 3 + row * length;
    EXPECT_EQ(results[0][row], length * first + length * (length - 1) / 2) << row;
  }
}

}  // namespace
}  // namespace eglantine::test

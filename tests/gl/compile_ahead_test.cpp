#include <algorithm>
#include <utility>

#include "backend/device_state.hpp"
#include "backend/gl/context/options.hpp"
#include "backend/gl/gl_backend.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/own.hpp"
#include "gl/fixture.hpp"

/// Programs of kernels that wait in the queue, begun before their turn.
namespace eglantine::test {
namespace {

decltype(gl::Functions::LinkProgram) link_program = nullptr;
decltype(gl::Functions::DispatchCompute) dispatch_compute = nullptr;
int links = 0, most_links = 0;  // of programs, one after another, between two dispatches

void count_link(GLuint program) {
  most_links = std::max(most_links, ++links);
  link_program(program);
}

void count_dispatch(GLuint x, GLuint y, GLuint z) {
  links = 0;
  dispatch_compute(x, y, z);
}

std::shared_ptr<Queue> start(bool in_background) {
  return Queue::start([=] {
    gl::Options options;
    options.compiles_in_background = in_background;
    options.replace_functions = [](gl::Functions& functions) {
      link_program = std::exchange(functions.LinkProgram, &count_link);
      dispatch_compute = std::exchange(functions.DispatchCompute, &count_dispatch);
    };
    links = most_links = 0;
    return gl::open_backend("gl", options);
  });
}

Device device_of(const std::shared_ptr<Queue>& queue) { return Device(std::make_shared<DeviceState>(queue)); }

int64_t programs_of(Queue& queue) {
  int64_t count = 0;
  queue.call([&](Backend& backend) { count = backend.statistics().programs; });
  return count;
}

/// Kernels of many families, all submitted before the first is compiled.
std::vector<Tensor> results_on(const Device& device) {
  const Tensor x = arange(0, 96, 1, DType::f32, device).reshape({8, 12}) / 50;
  std::vector<Tensor> results{exp(x),       sum(x, 0), softmax(x, 1), matmul(x, x.reshape({12, 8})),
                              cumsum(x, 1), sort(x, 1)};
  for (int i = 0; i < 30; ++i) results.push_back(x.slice(0, 0, 1 + i % 8) * static_cast<float>(i) + sqrt(x[i % 8]));
  for (const Tensor& each : results) each.eval();
  return results;
}

struct Found {
  std::vector<std::vector<float>> values;
  int64_t programs;
  int most_links;
};

Found found_on(bool in_background) {
  const std::shared_ptr<Queue> queue = start(in_background);
  const Device device = device_of(queue);
  Found found;
  for (const Tensor& each : results_on(device)) found.values.push_back(each.to_vector<float>());
  found.programs = programs_of(*queue);
  found.most_links = most_links;
  return found;
}

TEST(CompileAhead, begins_several_programs_and_changes_no_result) {
  const Found one_by_one = found_on(false), ahead = found_on(true);
  EXPECT_EQ(ahead.values, one_by_one.values);
  EXPECT_EQ(ahead.programs, one_by_one.programs);
  EXPECT_EQ(one_by_one.most_links, 1);
  EXPECT_GT(ahead.most_links, 2);
}

TEST(CompileAhead, reports_an_error_where_its_kernel_runs) {
  const Device device = device_of(start(true));
  const Tensor x = arange(0, 10, 1, DType::f32, device);
  const Tensor before = (x + 1).eval();
  const ElementwiseOp bad{"bad", 1, "x0 * nothing", [](std::span<const float> v) { return v[0]; }};
  const Tensor wrong = elementwise(bad, {x}).eval(), after = exp(x * 0).eval();
  EXPECT_EQ(before.to_vector<float>().back(), 10);
  EXPECT_EQ(after.to_vector<float>().back(), 1);
  EXPECT_THROW(wrong.to_vector<float>(), ShaderError);
}

/// Its steps would fill the host's memory before the device says that it has none for the result.
TEST(CompileAhead, begins_nothing_for_a_result_that_no_memory_holds) {
  const Device device = device_of(start(true));
  const Tensor x = arange(0, 10, 1, DType::f32, device).eval();
  device.synchronize();  // else x's kernel may still wait, and small's program be begun before its turn
  const Tensor small = x + 1, impossible = sqrt(broadcast_to(x, {int64_t{1} << 40, 10}));
  links = most_links = 0;
  eval({small, impossible});
  EXPECT_EQ(small.to_vector<float>().back(), 10);
  EXPECT_THROW(device.synchronize(), OutOfMemoryError);
  EXPECT_EQ(most_links, 1);
}

/// What was begun is deleted by trim(), and compiled again when it comes.
TEST(CompileAhead, goes_on_after_trim) {
  const Device device = device_of(start(true));
  for (int round = 0; round < 3; ++round) {
    const std::vector<Tensor> results = results_on(device);
    EXPECT_EQ(results[1].to_vector<float>().size(), 12U);
    device.trim();
  }
}

}  // namespace
}  // namespace eglantine::test

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "eglantine/eglantine.hpp"
#include "support/arrays_of_bool.hpp"

namespace eglantine {
namespace {

/// The sources in an explanation: each begins with its version line.
std::vector<std::string> sources_in(const std::string& text) {
  std::vector<std::string> sources;
  for (size_t at = text.find("#version"); at != std::string::npos;) {
    const size_t next = text.find("#version", at + 1);
    std::string source = text.substr(at, next == std::string::npos ? next : next - at);
    // What follows the last line of code is the next kernel's paragraph.
    sources.push_back(source.substr(0, std::max(source.rfind('}') + 1, source.rfind("#endif") + 6)) + "\n");
    at = next;
  }
  return sources;
}

/// glslangValidator's output for all sources in one call, since starting it takes longer than a source; empty when they
/// are valid.
std::string complaint_about(const std::vector<std::string>& sources) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("eglantine_glsl_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::string command = "glslangValidator -S comp";
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string path = (folder / (std::to_string(i) + ".comp")).string();
    std::ofstream(path) << sources[i];
    command += " " + path;
  }
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string said;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
  const int status = pclose(pipe);
  std::filesystem::remove_all(folder);
  if (status == 0) return "";
  for (size_t i = 0; i < sources.size(); ++i) said += "\n==== " + std::to_string(i) + ".comp\n" + sources[i];
  return said;
}

class GeneratedGlsl : public testing::TestWithParam<const char*> {
 protected:
  /// All sources are checked at once when the test ends.
  void expect_valid(const Tensor& x) {
    const std::vector<std::string> sources = sources_in(explain(x));
    ASSERT_FALSE(sources.empty());
    sources_.insert(sources_.end(), sources.begin(), sources.end());
  }
  void TearDown() override {
    EXPECT_EQ(complaint_about(sources_), "");
    for (const std::string& source : sources_) EXPECT_EQ(test::arrays_of_bool(source), std::vector<std::string>{});
  }
  Tensor input(Shape shape, DType dtype = DType::f32) const {
    const Tensor x = uniform(shape, 1, DType::f32, Device::open(GetParam())) * 9.0F;
    return x.astype(dtype).eval();
  }

 private:
  std::vector<std::string> sources_;
};

TEST_P(GeneratedGlsl, maps_are_valid) {
  const Tensor x = input({37, 12}), y = input({12, 37});
  expect_valid(gelu(x) + y.transpose(0, 1));
  expect_valid(where(gt(x, 3), pow(x, 2.5F), sin(x)).flip({0}) * x.slice(0, 0, 1));
  expect_valid(concatenate({-x, x * 2.0F}, 1));
  expect_valid(normal({5}, 3, DType::f32, x.device()));
  expect_valid(normal({5}, 3, DType::f32, x.device()).slice(0, 1));
  expect_valid(randint(0, 9, {5}, 3, DType::i32, x.device()));
  expect_valid(remainder(input({9}, DType::i32), 4));
}

TEST_P(GeneratedGlsl, random_numbers_of_a_vector_share_their_blocks) {
  const Device device = Device::open(GetParam());
  const auto holds = [](const Tensor& x, const char* call) { return explain(x).find(call) != std::string::npos; };
  const Tensor of_blocks = normal({6, 8}, 3, DType::f32, device);
  expect_valid(of_blocks);
  EXPECT_TRUE(holds(of_blocks, " = eg_philox_normals(a0 >> 2, "));
  EXPECT_TRUE(holds(of_blocks.slice(1, 4), " = eg_philox_normals(a0 >> 2, "))
      << "rows of whole vectors, each of a block";
  EXPECT_TRUE(holds(sum(of_blocks, {1}), " = eg_philox_normals(a0 >> 2, "));
  EXPECT_TRUE(holds(normal({37}, 3, DType::f32, device).slice(0, 1) + 1, ", eg_philox_normals("))
      << "a vector that begins anywhere, of two blocks";
  for (const Tensor& single : {of_blocks.slice(1, 1), of_blocks.transpose(0, 1), of_blocks.flip({})})
    EXPECT_TRUE(holds(single + 1, "eg_philox_normal(i0, "));
  const Tensor whole = randint(0, 9, {6, 8}, 3, DType::i32, device);
  EXPECT_TRUE(holds(whole, " = eg_philox_evens(a0 >> 1, 2u, "));
  EXPECT_TRUE(holds(whole, " = eg_philox_odds(a0 >> 1, 2u, "));
  EXPECT_TRUE(holds(bernoulli(0.5, {6, 8}, 3, device), " = eg_philox_block(a0 >> 2, 3u, "));
}

TEST_P(GeneratedGlsl, scans_are_valid) {
  const Tensor x = input({70, 3000}), n = input({3000, 70}, DType::u32);
  expect_valid(exp(cumsum(x * 2.0F, 1, true)));
  expect_valid(cumsum(x, 0));
  expect_valid(cummax(n, 0, true, true));
}

TEST_P(GeneratedGlsl, rows_are_valid) {
  const Tensor x = input({37, 12});
  expect_valid(softmax(x * 2.0F, 1) + 1.0F);
  expect_valid(log_softmax(x, 0));
  expect_valid(sqrt(var(x, {1}) + 1.0F));
  expect_valid(logsumexp(input({5, 9001}), {1}));
  expect_valid(var(x, {0}));
  expect_valid(layer_norm(x, 1, input({12}), input({12})));
  expect_valid(rms_norm(x, 0));
  expect_valid(layer_norm(input({5, 9001}), 1));
}

TEST_P(GeneratedGlsl, reductions_are_valid) {
  const Tensor x = input({37, 9000});
  expect_valid(sum(exp(x), {1}));
  expect_valid(sqrt(sum(x, {0})));
  expect_valid(max(x));
  expect_valid(argmax(x, 1));
  expect_valid(argmin(x, 0));
  expect_valid(any(gt(x, 8), {1}));
  expect_valid(prod(input({70, 3}, DType::u32), {0}));
}

TEST_P(GeneratedGlsl, tiles_are_valid) {
  const Tensor x = input({37, 12}), line = input({1025});
  expect_valid(PartitionView(exp(x), {5, 4}).sum() * 2);
  expect_valid(PartitionView(x.transpose(0, 1), {5, 4}).max());
  expect_valid(PartitionView(line, {16}).min());
  expect_valid(PartitionView(line.slice(0, 1), {600}).sum());
  expect_valid(PartitionView(gt(x, 3), {37, 3}).max());
}

TEST_P(GeneratedGlsl, products_are_valid) {
  const Tensor a = input({3, 40, 24}), b = input({24, 36});
  expect_valid(matmul(a, b));
  expect_valid(relu(matmul(b.transpose(0, 1), b) + 1.0F));
  expect_valid(matmul(input({7, 5}, DType::i32), input({5, 3}, DType::i32)));
  expect_valid(matmul(a, input({24})));
}

TEST_P(GeneratedGlsl, users_operations_are_valid) {
  const Tensor x = input({37, 12});
  const ElementwiseOp fma{"fma", 3, "x0 * x1 // and\n + x2 // what is left",
                          [](std::span<const float> v) { return v[0] * v[1] + v[2]; }};
  const ElementwiseOp root{"root", 1, "sqrt(abs(x0))", [](std::span<const float> v) { return v[0]; }};
  const ReduceOp hypot{"hypot", 0, "sqrt(a * a + b * b)", [](float a, float) { return a; }};
  expect_valid(elementwise(fma, {x, elementwise(root, {x}), elementwise(root, {exp(x)})}).transpose(0, 1));
  expect_valid(elementwise(root, {reduce(elementwise(root, {x}), hypot, {0})}));
  expect_valid(reduce(x, hypot, {1}));
  expect_valid(reduce(input({3, 9000}), hypot, {1}));
}

TEST_P(GeneratedGlsl, sorts_are_valid) {
  const Tensor x = input({6, 9000});
  expect_valid(sort(exp(x), 0, true) + 1.0F);
  expect_valid(argsort(x, 1));
  expect_valid(sort_by_key(x.astype(DType::u32), x.flip({0})).second);
  expect_valid(topk(x, 5, 1).first);
  expect_valid(sort(gt(x, 3), 1));
  expect_valid(quantile(input({3, 20000}), 0.3, {1}));
}

TEST_P(GeneratedGlsl, truth_values_are_valid) {
  const Tensor x = gt(input({70, 3000}), 4), few = gt(input({5, 12}), 4);
  expect_valid(any(x, {0}));
  expect_valid(all(x));
  expect_valid(cummax(x, 0));
  expect_valid(cummin(x, 1));
  expect_valid(argmax(x, 1));
  expect_valid(concatenate({few, x.slice(0, 0, 5).slice(1, 0, 12)}, 1));
  expect_valid(take(few, input({4}, DType::i32) / 3, 0));
}

TEST(GlslTemplates, hold_no_array_of_truth_values) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(EGLANTINE_SOURCE_DIR "/glsl")) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    EXPECT_EQ(test::arrays_of_bool(text.str()), std::vector<std::string>{}) << entry.path();
  }
}

INSTANTIATE_TEST_SUITE_P(Codegen, GeneratedGlsl, testing::Values("gl", "gles"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace eglantine

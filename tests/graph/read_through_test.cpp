#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backend/gl/lowered.hpp"
#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "support/devices.hpp"

/// What reductions and maps of a GPU compute while they read as much as it has, instead of storing it: rows are too
/// long here for a kernel that keeps them.
namespace eglantine::test {
namespace {

class ReadThrough : public ::testing::Test {
 protected:
  void SetUp() override { Device::set_current(open_device("cpu")); }

  static std::vector<std::string> kernels(const Tensor& x, int64_t line = 32) {
    DeviceLimits device;
    device.line = line;
    device.longest_row = device.longest_column = 16;
    const GraphLock lock;
    std::vector<std::string> texts;
    for (const Kernel& kernel : plan({x.node()}, device, gl::unstored).kernels) texts.push_back(describe(kernel));
    return texts;
  }
  /// Whether a kernel makes something first that others read.
  static bool stores(const Tensor& x, int64_t line = 32) {
    const std::vector<std::string> all = kernels(x, line);
    return all.size() > 2 || all.front().find("(stored)") != std::string::npos;
  }
  /// Whether the kernel of a gather makes something of what it gathers.
  static bool extends(const Tensor& x, int64_t line = 32) {
    return std::ranges::any_of(kernels(x, line), [](const std::string& each) {
      return each.starts_with("gather") && each.find(", then") != std::string::npos;
    });
  }
  static Tensor rows() { return uniform({64, 2000}, 1).eval(); }
  static Tensor softmax_of(const Tensor& exponentials) { return exponentials / sum(exponentials, 1, true); }
};

TEST_F(ReadThrough, an_exponential_is_computed_by_its_readers) {
  const Tensor x = rows(), largest = max(x, 1, true).eval();
  EXPECT_FALSE(stores(softmax_of(exp(x - largest))));
  EXPECT_TRUE(stores(softmax_of(exp(x - largest)), 0)) << "on a software device";
}

TEST_F(ReadThrough, a_part_of_a_tensor_reads_no_more_than_itself) {
  const Tensor x = rows().slice(1, 1, 1001), largest = max(x, 1, true).eval();
  EXPECT_FALSE(stores(softmax_of(exp(x - largest))));
}

TEST_F(ReadThrough, a_transposed_sum_is_not_put_in_order_first) {
  const Tensor x = uniform({2000, 64}, 1).eval().transpose(0, 1) + uniform({2000}, 2).eval();
  EXPECT_FALSE(stores(x - max(x, 1, true)));
}

/// What reads more than it makes, or takes many steps.
TEST_F(ReadThrough, what_is_dear_is_stored) {
  const Tensor x = rows(), y = uniform({64, 2000}, 2).eval();
  EXPECT_TRUE(stores(softmax_of(x + y)));
  EXPECT_TRUE(stores(softmax_of(tanh(x))));
  EXPECT_TRUE(stores(softmax_of(exp(exp(x)))));
  EXPECT_TRUE(stores(softmax_of(((((((x + 1.0F) * 2.0F) + 3.0F) * 4.0F) + 5.0F) * 6.0F) + 7.0F)));
}

/// Elements that lie apart take a sector of memory each.
TEST_F(ReadThrough, what_lies_apart_is_stored) {
  const Tensor far = uniform({64, 16000}, 1).eval().slice(1, 0, 16000, 8), near = rows().slice(1, 0, 1500);
  EXPECT_TRUE(stores(softmax_of(exp(far))));
  EXPECT_FALSE(stores(softmax_of(exp(near))));
}

/// A product would compute it for each tile, and its results wait for a long epilogue.
TEST_F(ReadThrough, what_a_product_reads_is_stored) {
  const Tensor x = exp(rows()), y = uniform({2000, 64}, 2).eval(), squares = exp(uniform({64, 64}, 3).eval());
  EXPECT_GT(kernels(matmul(x, y) + sum(x, 1, true)).size(), 2U);
  const std::vector<std::string> all = kernels(matmul(rows(), y) * squares + matmul(rows() + 1.0F, y) * squares);
  EXPECT_EQ(std::ranges::count_if(all, [](const std::string& each) { return each.find("exp") != std::string::npos; }),
            1);
}

/// A few operations more of each element take less time than a dispatch: which labels count is no tensor of its own,
/// nor do readers wait for one another's extra output to have a count as a float.
TEST_F(ReadThrough, what_is_quicker_than_a_dispatch_is_not_stored) {
  const Tensor labels = arange(0, 64, 1, DType::i32).eval(), some = labels != 3, count = sum(some);
  const auto counted = [&](const Tensor& x) { return where(some.unsqueeze(1), x, 0.0F) * count; };
  EXPECT_FALSE(stores(counted(rows())));
  EXPECT_TRUE(stores(counted(rows()), 0)) << "on a software device";
  EXPECT_TRUE(stores(counted(uniform({70000}, 1).eval().expand({64, 70000})))) << "of too many elements";
  const Tensor picked = take_along_axis(rows(), labels.unsqueeze(1), 1), shift = where(isfinite(picked), picked, 0.0F);
  EXPECT_FALSE(extends((rows() - shift) * sum(shift)));
  EXPECT_TRUE(extends((rows() - shift) * sum(shift), 0));
}

}  // namespace
}  // namespace eglantine::test

#include <bit>
#include <cmath>

#include "graph/expression.hpp"
#include "layout/layout.hpp"
#include "lower/contraction/few_columns_schedule.hpp"
#include "lower/schedules.hpp"
#include "support/random/random_data.hpp"

/// Products with few columns in the forms for hardware, on any device.
namespace eglantine::test {
namespace {

/// (batch, rows, k) x (batch, k, columns), checked against loops in double.
struct Case {
  int64_t batch, rows, k, columns;
  bool along_rows = false;     ///< the matrix's columns are contiguous
  bool columns_first = false;  ///< results are (batch, columns, rows)
  bool scaled = false;         ///< the matrix is times a scale of each row, and a bias follows
  int64_t resident = 4096;     ///< invocations
};

std::string text_of(const Case& c) {
  return text({c.batch, c.rows, c.k, c.columns}) + (c.along_rows ? " along rows" : "") +
         (c.columns_first ? " columns first" : "");
}

/// GL_KHR_shader_subgroup, as far as the template uses it.
constexpr const char* played_subgroups = R"(
shared float eg_played[EG_GROUP_SIZE];
float subgroupShuffleXor(float value, uint apart) {
  eg_played[gl_LocalInvocationID.x] = value;
  memoryBarrierShared();
  barrier();
  float shown = eg_played[gl_LocalInvocationID.x ^ apart];
  memoryBarrierShared();
  barrier();
  return shown;
}
)";

class AsSubgroups : public AsHardware {
 public:
  AsSubgroups(gl::GlRuntime& device, int64_t resident) : AsHardware(device, resident) {
    played_ = device.target().subgroup != 32;
    plan_for().subgroup = 32;
    plan_for().max_invocations = std::max<int64_t>(plan_for().max_invocations, 256);
  }

 private:
  std::vector<gl::Dispatch> instead_of(const gl::Dispatch& whole) override {
    gl::Dispatch changed = whole;
    if (played_ && whole.name.starts_with("few_columns"))
      rewrite(changed, [](std::string text) {
        for (size_t at = 0; (at = text.find("#extension")) != std::string::npos;)
          text.erase(at, text.find('\n', at) + 1 - at);
        const std::string me = "gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID";
        text.replace(text.find(me), me.size(), "gl_LocalInvocationID.x");
        return text.insert(text.find("layout(local_size_x"), played_subgroups);
      });
    return {changed};
  }

  bool played_;
};

class FewColumnsSchedules : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }

  struct Run {
    Words results;
    int dispatches = 0;
    std::string names;
  };

  static BufferPtr uploaded(const Array& x) {
    Words words;
    for (double value : x.values) words.push_back(std::bit_cast<uint32_t>(static_cast<float>(value)));
    return buffer_of(*device_, words);
  }

  static Strided strided(const BufferPtr& buffer, const Shape& shape, const std::vector<int64_t>& strides) {
    return {buffer, StorageType::f32, {shape, strides, 0}};
  }

  struct Data {
    Array matrix, columns, scale, bias;
  };
  static Data data_of(const Case& c) {
    return {random_reals({c.batch, c.rows, c.k}, -1, 1, 1), random_reals({c.batch, c.columns, c.k}, -1, 1, 2),
            random_reals({c.rows}, 0.5, 2, 3), random_reals({c.batch * c.columns * c.rows}, -1, 1, 4)};
  }

  static FewColumnsKernel kernel_of(const Case& c, const Data& data, const BufferPtr& out) {
    const Shape domain{c.batch, c.rows, c.k}, results{c.batch * c.rows * c.columns};
    Array matrix = data.matrix;
    if (c.along_rows)
      matrix = generate(DType::f32, {c.batch, c.k, c.rows}, [&](const Dims& at) {
        return data.matrix.at({at[0], at[2], at[1]});
      });
    ExpressionBuilder prologue(domain), epilogue(results);
    const std::vector<int64_t> strides =
        c.along_rows ? std::vector<int64_t>{c.rows * c.k, 1, c.rows} : std::vector<int64_t>{c.rows * c.k, c.k, 1};
    const int x = prologue.load(strided(uploaded(matrix), domain, strides));
    const int sum = epilogue.accumulator(DType::f32);
    if (c.scaled) {
      const int scale = prologue.load(strided(uploaded(data.scale), domain, {0, 1, 0}));
      prologue.operation(Op::mul, DType::f32, {x, scale, -1});
      const int bias = epilogue.load(strided(uploaded(data.bias), results, {1}));
      epilogue.operation(Op::add, DType::f32, {sum, bias, -1});
    }
    FewColumnsKernel kernel;
    kernel.prologue = prologue.take();
    kernel.batch_rank = 1;
    kernel.kept_rank = 2;
    kernel.vectors = strided(uploaded(data.columns), domain, {c.columns * c.k, 0, 1});
    kernel.columns = {{c.columns}, {c.k}, 0};
    kernel.columns_first = c.columns_first;
    kernel.epilogue = epilogue.take();
    kernel.out = strided(out, results, {1});
    collapse(kernel);
    return kernel;
  }

  static Words expect_close(AsTarget& target, const Case& c) {
    SCOPED_TRACE(text_of(c));
    const Data data = data_of(c);
    const int64_t count = c.batch * c.rows * c.columns;
    const BufferPtr out = buffer_of(*device_, Words(static_cast<size_t>(count) + 4, 0x7fc0deadU));
    target.run(kernel_of(c, data, out));
    const Words found = download(*device_, out->storage(), static_cast<size_t>(count) + 4);
    for_each_index({c.batch, c.rows, c.columns}, [&](const Dims& at) {
      const int64_t place =
          c.columns_first ? (at[0] * c.columns + at[2]) * c.rows + at[1] : (at[0] * c.rows + at[1]) * c.columns + at[2];
      double sum = 0, size = 0;
      for (int64_t k = 0; k < c.k; ++k) {
        const double scale = c.scaled ? data.scale.at({at[1]}) : 1;
        const double product = data.matrix.at({at[0], at[1], k}) * scale * data.columns.at({at[0], at[2], k});
        sum += product;
        size += std::abs(product);
      }
      if (c.scaled) sum += data.bias.at({place});
      ASSERT_NEAR(std::bit_cast<float>(found[static_cast<size_t>(place)]), sum,
                  (size + 1) * static_cast<double>(c.k + 2) * 0x1p-24)
          << text(at) << "\n"
          << target.names;
    });
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(found[static_cast<size_t>(count) + i], 0x7fc0deadU) << "past the end";
    return found;
  }

  static void in_both_orders(Case c) {
    for (const bool columns_first : {false, true}) {
      c.columns_first = columns_first;
      AsHardware hardware(*device_, c.resident);
      expect_close(hardware, c);
      AsSubgroups subgroups(*device_, c.resident);
      expect_close(subgroups, c);
    }
  }

  inline static std::unique_ptr<gl::GlRuntime> device_;
};

TEST_F(FewColumnsSchedules, along_k) {
  in_both_orders({1, 70, 100, 1});
  in_both_orders({1, 67, 257, 3});
  in_both_orders({2, 33, 130, 8});
  in_both_orders({1, 9, 31, 16, false, false, true});
}

TEST_F(FewColumnsSchedules, along_rows) {
  in_both_orders({1, 70, 100, 1, true});
  in_both_orders({1, 67, 257, 3, true});
  in_both_orders({2, 36, 130, 8, true});
  in_both_orders({2, 35, 33, 2, true});
  in_both_orders({1, 12, 31, 16, true, false, true});
}

TEST_F(FewColumnsSchedules, tiny_lengths) {
  for (int64_t length = 1; length <= 4; ++length) {
    AsHardware hardware(*device_);
    expect_close(hardware, {1, length, 6 - length, 2});
    expect_close(hardware, {1, length, 6 - length, 2, true});
    AsTarget software(*device_, device_->target());
    expect_close(software, {1, length, 6 - length, 2});
    expect_close(software, {1, length, 6 - length, 2, true});
  }
}

TEST_F(FewColumnsSchedules, few_rows_take_all_lanes_of_a_group_and_then_chunks_of_k) {
  for (const bool along_rows : {false, true})
    for (const int64_t columns : {1, 5}) {
      const Case c{1, 12, 9001, columns, along_rows, false, true, int64_t{1} << 16};
      in_both_orders(c);
      AsHardware hardware(*device_, c.resident);
      expect_close(hardware, c);
      EXPECT_EQ(hardware.dispatches > 1, along_rows) << hardware.names;
    }
}

TEST_F(FewColumnsSchedules, repeat_their_bits) {
  const Case c{1, 40, 4001, 3, false, false, true, int64_t{1} << 15};
  AsHardware hardware(*device_, c.resident);
  const Words once = expect_close(hardware, c);
  EXPECT_EQ(expect_close(hardware, c), once);
}

TEST_F(FewColumnsSchedules, windows_of_a_small_block) {
  for (const bool along_rows : {false, true})
    for (const bool software : {false, true}) {
      const Case c{2, 68, 515, 3, along_rows, along_rows, true};
      AsHardware hardware(*device_);
      hardware.plan_for().software = software;
      hardware.plan_for().max_block_bytes = 16384;
      expect_close(hardware, c);
      EXPECT_GT(hardware.dispatches, 4);
    }
}

TEST_F(FewColumnsSchedules, few_groups_in_a_dispatch) {
  const Case c{5, 200, 37, 2};
  AsTarget software(*device_, device_->target());
  software.plan_for().software = true;
  software.plan_for().max_groups = 2;
  expect_close(software, c);
  EXPECT_EQ(software.dispatches, 2 * 3);
}

}  // namespace
}  // namespace eglantine::test

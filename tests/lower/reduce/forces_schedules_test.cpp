#include <functional>

#include "eglantine/ops.hpp"
#include "lower/reduce/planned_reduce.hpp"
#include "lower/reduce/program/program.hpp"

/// Sums of a few components that make the same numbers, as software and
/// hardware compute them at once: the bits are the CPU's.
namespace eglantine::test {
namespace {

class ForcesSchedules : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }
  void SetUp() override { Device::set_current(Device::open("cpu")); }

  struct Planned {
    ReduceKernel kernel;
    Words expected;
  };
  /// The sum that `of` makes of two tensors of these shapes.
  static Planned planned_sum(const Dims& a, const Dims& b,
                             const std::function<Tensor(const Tensor&, const Tensor&)>& of) {
    const Array first = random_elements(StorageType::f32, a, 1), second = random_elements(StorageType::f32, b, 2);
    const Tensor x = upload(first), y = upload(second);
    const MovedBuffers moved{{x.node()->stored().buffer, buffer_of(*device_, words_of(first, StorageType::f32))},
                             {y.node()->stored().buffer, buffer_of(*device_, words_of(second, StorageType::f32))}};
    return {planned_reduce(of(x, y), moved), bits_of(of(x, y))};
  }
  /// Of so many pairs, summed along `axis` of them: by a column tree along 0,
  /// by a row tree along 1.
  static Planned planned(int64_t rows, int64_t columns, int64_t components, int axis) {
    return planned_sum({rows, components}, {columns, components}, [&](const Tensor& x, const Tensor& y) {
      const Tensor apart = y.unsqueeze(0) - x.unsqueeze(1);
      return sum(apart / (sum(apart * apart, 2) + 0.1F).unsqueeze(2), axis);
    });
  }
  /// Sums of rows divided by a polynomial of so many rows of weights.
  static Planned planned_of_weights(int64_t count) {
    return planned_sum({count, 300}, {300, 3}, [](const Tensor& x, const Tensor& y) {
      return sum(y / (abs(x) * 3.0F + x * x + 1.0F).unsqueeze(2), 1);
    });
  }

  /// A tensor that lies nowhere: for kernels that are lowered and not run.
  static Tensor unstored(const Shape& shape) {
    const DevicePtr device = zeros({1}).node()->device;
    return Tensor(make_leaf(device, shape, {gl::unstored(shape.elements() * 4), StorageType::f32}));
  }
  /// Of the kernel of x, a pending tensor on the CPU, on a GPU with 132
  /// multiprocessors.
  static std::vector<lower::Dispatch> dispatches_of(const Tensor& x) {
    AsHardware hardware(*device_, 132 * 2048);
    const GraphLock lock;
    const Kernel kernel = plan({x.node()}, {}, gl::unstored).kernels.front();
    std::vector<lower::Dispatch> dispatches;
    for (const lower::Step& step : lower::lower(kernel, hardware.target(), &gl::unstored).steps)
      dispatches.push_back(std::get<lower::Dispatch>(step));
    return dispatches;
  }
  static std::vector<lower::Dispatch> dispatches_of_forces(int64_t points) {
    const Tensor x = unstored({points, 3}), apart = x.unsqueeze(0) - x.unsqueeze(1);
    return dispatches_of(sum(apart / (sum(apart * apart, 2) + 0.1F).unsqueeze(2), 1));
  }

  static void check_software(const Planned& made, const std::string& names) {
    AsTarget software(*device_, device_->target());
    software.plan_for().software = true;
    expect_reduce(*device_, software, made.kernel, names, made.expected);
  }
  static void check_hardware(const Planned& made, const std::string& names, int64_t resident = 256) {
    AsHardware hardware(*device_, resident);
    expect_reduce(*device_, hardware, made.kernel, names, made.expected);
  }

  /// The results at once of each window, in a dispatch of its own.
  static void check_windows(AsTarget& target, Planned made, const std::vector<lower::Window>& windows) {
    made.kernel.out.buffer = buffer_of(*device_, Words(made.expected.size()));
    lower::ReduceLevel level = lower::first_level(made.kernel);
    level.together = 1;
    target.run_steps([&](lower::Lowering& lowering) {
      for (const lower::Window& kept : windows)
        lowering.dispatch(lower::ReduceProgram(target.target(), level, {kept, {0, 1}}, true).dispatch());
      return true;
    });
    EXPECT_EQ(download(*device_, made.kernel.out.buffer->storage(), made.expected.size()), made.expected);
  }

  static constexpr const char* rows = "reduce_row_together sum f32\n";
  static constexpr const char* columns = "reduce_column_together sum f32\n";
  static std::unique_ptr<gl::GlRuntime> device_;
};

std::unique_ptr<gl::GlRuntime> ForcesSchedules::device_;

TEST_F(ForcesSchedules, along_the_innermost_axis_of_pairs) {
  for (const int64_t components : {2, 3, 4})
    for (const int64_t length : {9, 64, 257, 1030}) {
      const int64_t points = length == 257 ? 32 : 33;
      const Planned made = planned(points, length, components, 1);
      SCOPED_TRACE(std::to_string(components) + " components, " + std::to_string(length));
      check_software(made, rows);
      const std::string left = length == 1030 ? rows : "";
      check_hardware(made, length < layout::row_lanes ? "reduce_row sum f32\n" : rows + left);
      check_hardware(made, "reduce_row sum f32\n", 1 << 30);
    }
}

TEST_F(ForcesSchedules, of_four_points_at_once_with_what_is_made_of_them) {
  for (const int64_t points : {40, 43}) {
    SCOPED_TRACE(points);
    const Planned made = planned_sum({points, 3}, {600, 3}, [](const Tensor& x, const Tensor& y) {
      const Tensor apart = y.unsqueeze(0) - x.unsqueeze(1);
      return x + 0.5F * sum(apart / (sum(apart * apart, 2) + 0.1F).unsqueeze(2), 1);
    });
    check_hardware(made, points % 4 == 0 ? rows : std::string(rows) + rows);
  }
}

/// Each point with four neighbours reads the others once, where that leaves
/// enough for the device.
TEST_F(ForcesSchedules, take_four_points_at_once_where_they_fill_the_device) {
  const auto groups = [](int64_t points) { return dispatches_of_forces(points).front().groups[0]; };
  EXPECT_EQ(groups(2048), 2048U);
  EXPECT_EQ(groups(4096), 1024U);
  EXPECT_EQ(groups(4097), 4097U);
}

/// 21643 * 21643 * 3 are more than one dispatch counts.
TEST_F(ForcesSchedules, of_many_points_are_computed_at_once_in_several_dispatches) {
  std::string names;
  for (const lower::Dispatch& dispatch : dispatches_of_forces(21643)) names += dispatch.name + "\n";
  EXPECT_EQ(names, "reduce_row sum f32\n" + std::string(rows) + rows + "reduce_row sum f32\n");
}

/// Each coordinate is copied to a line first, of which lanes load vectors.
TEST_F(ForcesSchedules, of_points_whose_coordinates_lie_apart_read_them_in_lines) {
  const Planned made = planned_sum({4104, 5}, {4100, 5}, [](const Tensor& x, const Tensor& y) {
    const Tensor apart = x.slice(1, 1, 2) - y.slice(1, 2, 3).transpose(0, 1);
    return sum(apart / (abs(apart) + 0.5F), 1);
  });
  check_hardware(made, "map f32\nreduce_column sum f32\n");
  const auto names = [](int64_t points, int64_t width) {
    const Tensor x = unstored({points, width}).slice(1, 1, 3), apart = x.unsqueeze(1) - x.unsqueeze(0);
    std::string joined;
    for (const lower::Dispatch& dispatch : dispatches_of(sum(exp(-1.0F * sum(apart * apart, 2)), 1)))
      joined += dispatch.name + "\n";
    return joined;
  };
  EXPECT_EQ(names(4096, 5), "map f32\nmap f32\n" + std::string(rows));
  EXPECT_EQ(names(4096, 4), rows) << "vectors hold what lies so near";
  EXPECT_EQ(names(4000, 5), rows) << "copies take long beside so few pairs";
}

TEST_F(ForcesSchedules, of_a_window_of_rows_go_to_their_places) {
  for (const bool software : {false, true})
    for (const int64_t components : {2, 3, 4}) {
      SCOPED_TRACE(std::to_string(components) + (software ? " components, software" : " components"));
      const Planned made = planned(24, 600, components, 1);
      AsHardware target(*device_, 128);
      target.plan_for().software = software;
      check_windows(target, made,
                    {{0, 8 * components}, {8 * components, 4 * components}, {12 * components, 12 * components}});
    }
}

TEST_F(ForcesSchedules, products_with_a_column_take_four_rows_at_once) {
  const auto names = [](const Shape& a, const Shape& b, int64_t count) {
    const Tensor x = unstored(a), y = unstored(b), weights = unstored({b[0], count});
    const Tensor apart = x.unsqueeze(1) - y.unsqueeze(0);
    std::string joined;
    for (const lower::Dispatch& dispatch : dispatches_of(matmul(exp(-1.0F * sum(apart * apart, 2)), weights)))
      joined += dispatch.name + "\n";
    return joined;
  };
  EXPECT_EQ(names({4096, 3}, {4096, 3}, 1), rows);
  EXPECT_EQ(names({4097, 3}, {4096, 3}, 1), "reduce_row sum f32\n" + std::string(rows));
  EXPECT_EQ(names({1024, 3}, {4096, 3}, 1), "few_columns f32\n");
  EXPECT_EQ(names({4096, 3}, {4096, 3}, 2), "map f32\nfew_columns f32\n");
}

/// Rows that lie in memory themselves have nothing in common that is worth a
/// form of its own.
TEST_F(ForcesSchedules, products_of_a_stored_matrix_with_a_column_stay_products) {
  const Tensor x = unstored({4096, 4096}), scales = unstored({4096}), column = unstored({4096, 1});
  EXPECT_EQ(dispatches_of(matmul(x * scales, column)).front().name, "few_columns f32");
}

TEST_F(ForcesSchedules, one_number_for_each_of_many_points_takes_four_rows_at_once) {
  for (const int64_t components : {2, 3, 4})
    for (const int64_t points : {16, 34, 129}) {
      SCOPED_TRACE(std::to_string(components) + " components, " + std::to_string(points));
      const Planned made = planned_sum({points, components}, {1027, components}, [](const Tensor& x, const Tensor& y) {
        const Tensor apart = y.unsqueeze(0) - x.unsqueeze(1);
        return sum(1.0F / (sum(apart * apart, 2) + 0.1F), 1) * 2.0F;
      });
      check_hardware(made, points % 4 == 0 ? rows : "reduce_row sum f32\n" + std::string(rows));
      check_hardware(made, "reduce_row sum f32\n", 1 << 30);
    }
}

/// The nearest of 1027 points, which is one of the last.
TEST_F(ForcesSchedules, other_reductions_take_four_rows_at_once) {
  using Of = Tensor (*)(const Tensor& squares);
  const std::pair<std::string, Of> reductions[] = {{"min", [](const Tensor& x) { return min(x, 1) * 2.0F; }},
                                                   {"max", [](const Tensor& x) { return max(x, 1); }},
                                                   {"prod", [](const Tensor& x) { return prod(x * 0.01F + 0.99F, 1); }},
                                                   {"argmin", [](const Tensor& x) { return argmin(x, 1); }},
                                                   {"argmax", [](const Tensor& x) { return argmax(x + 1.0F, 1); }}};
  for (const auto& [name, of] : reductions)
    for (const int64_t points : {16, 34}) {
      SCOPED_TRACE(name + " of " + std::to_string(points));
      const Planned made = planned_sum({points, 3}, {1027, 3}, [&](const Tensor& x, const Tensor& y) {
        const Tensor apart = y.unsqueeze(0) - x.unsqueeze(1);
        return of(sum(apart * apart, 2));
      });
      const std::string together = "reduce_row_together " + name + " f32\n";
      check_hardware(made, points % 4 == 0 ? together : "reduce_row " + name + " f32\n" + together);
    }
}

TEST_F(ForcesSchedules, several_blocks_of_the_nearest) {
  const Planned made = planned_sum({32, 2}, {9001, 2}, [](const Tensor& x, const Tensor& y) {
    const Tensor apart = y.unsqueeze(0) - x.unsqueeze(1);
    return argmin(sum(apart * apart, 2), 1);
  });
  check_hardware(made, "reduce_row_together argmin f32\nreduce_row argmin f32\n");
}

TEST_F(ForcesSchedules, along_the_outer_axis_of_pairs) {
  for (const int64_t components : {2, 3, 4}) {
    SCOPED_TRACE(components);
    check_software(planned(100, 37, components, 0), columns);
    check_hardware(planned(100, 37, components, 0), columns);
    check_hardware(planned(100, 37, components, 0), columns, 1 << 30);
  }
}

TEST_F(ForcesSchedules, of_several_blocks) {
  const std::string then_columns = std::string(columns) + "reduce_column sum f32\n";
  check_software(planned(700, 21, 3, 0), then_columns);
  check_hardware(planned(700, 21, 3, 0), columns, 16);
  check_hardware(planned(700, 21, 3, 0), then_columns, 1 << 30);
  check_software(planned(9, 9000, 3, 1), std::string(rows) + "reduce_row sum f32\n");
}

TEST_F(ForcesSchedules, by_a_group_a_row_where_rows_are_few) {
  check_software(planned_of_weights(8), rows);
  check_software(planned_of_weights(7), "reduce_row sum f32\n");
}

/// Four kept components of what they do not share are four columns.
TEST_F(ForcesSchedules, not_of_what_has_little_in_common) {
  const auto sums = [](const Tensor& x, const Tensor& y) { return sum(x * y, 0); };
  check_software(planned_sum({40, 30, 3}, {30, 3}, sums), "reduce_column sum f32\n");
}

}  // namespace
}  // namespace eglantine::test

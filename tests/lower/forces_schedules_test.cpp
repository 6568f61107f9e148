#include "eglantine/ops.hpp"
#include "lower/planned_reduce.hpp"
#include "support/random/draw.hpp"

/// Sums of a few components that make the same numbers, as software and hardware compute them at once: the bits are the
/// CPU's.
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
  /// Of so many pairs, summed along `axis` of them: by a column tree along 0, by a row tree along 1.
  static Planned planned(int64_t rows, int64_t columns, int64_t components, int axis) {
    const Array a = random_elements(StorageType::f32, {rows, components}, 1),
                b = random_elements(StorageType::f32, {columns, components}, 2);
    const Tensor x = upload(a), y = upload(b);
    const auto forces = [&] {
      const Tensor apart = y.unsqueeze(0) - x.unsqueeze(1);
      return sum(apart / (sum(apart * apart, 2) + 0.1F).unsqueeze(2), axis);
    };
    const MovedBuffers moved{{x.node()->stored().buffer, buffer_of(*device_, words_of(a, StorageType::f32))},
                             {y.node()->stored().buffer, buffer_of(*device_, words_of(b, StorageType::f32))}};
    return {planned_reduce(forces(), moved), bits_of(forces())};
  }

  static void check_software(const Planned& made, const std::string& names) {
    AsTarget software(*device_, device_->target());
    software.plan_for().software = true;
    expect_reduce(*device_, software, made.kernel, names, made.expected);
  }
  static void check_hardware(const Planned& made, const std::string& names, int64_t resident = 128) {
    AsHardware hardware(*device_, resident);
    expect_reduce(*device_, hardware, made.kernel, names, made.expected);
  }

  static constexpr const char* rows = "reduce_row_together sum f32\n";
  static constexpr const char* columns = "reduce_column_together sum f32\n";
  static std::unique_ptr<gl::GlRuntime> device_;
};

std::unique_ptr<gl::GlRuntime> ForcesSchedules::device_;

TEST_F(ForcesSchedules, along_the_innermost_axis_of_pairs) {
  for (const int64_t components : {2, 3, 4})
    for (const int64_t length : {9, 64, 257, 1030}) {
      const Planned made = planned(33, length, components, 1);
      SCOPED_TRACE(std::to_string(components) + " components, " + std::to_string(length));
      check_software(made, rows);
      if (length > 4 * layout::row_lanes) check_hardware(made, rows);
    }
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

/// Four kept components of what they do not share are four columns.
TEST_F(ForcesSchedules, not_of_what_has_little_in_common) {
  const Array a = random_elements(StorageType::f32, {40, 30, 3}, 1), b = random_elements(StorageType::f32, {30, 3}, 2);
  const Tensor x = upload(a), y = upload(b);
  const auto sums = [&] { return sum(x * y, 0); };
  const MovedBuffers moved{{x.node()->stored().buffer, buffer_of(*device_, words_of(a, StorageType::f32))},
                           {y.node()->stored().buffer, buffer_of(*device_, words_of(b, StorageType::f32))}};
  check_software({planned_reduce(sums(), moved), bits_of(sums())}, "reduce_column sum f32\n");
}

}  // namespace
}  // namespace eglantine::test

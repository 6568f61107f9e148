#include <gtest/gtest.h>

#include "gl/fixture.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "support/as_hardware.hpp"

/// Maps that read at computed addresses, as on hardware, on any device.
namespace eglantine::test {
namespace {

using gl::GlRuntime;

constexpr int64_t lines_length = 100;

std::vector<uint32_t> counted(int64_t count, uint32_t factor, uint32_t below) {
  std::vector<uint32_t> words;
  for (int64_t i = 0; i < count; ++i) words.push_back(static_cast<uint32_t>(i) * factor % below);
  return words;
}

/// out[i, j] = table[index[i, j]] (+ transposed[j, i]), by vectors that end with rows and elsewhere.
void check_loads(GlRuntime& device, int64_t rows, int64_t columns, bool transposed) {
  SCOPED_TRACE(to_string(Shape{rows, columns}));
  const Shape domain{rows, columns};
  const int64_t count = domain.elements();
  const std::vector<uint32_t> index = counted(count, 7919, lines_length), table = counted(lines_length, 31, 1 << 20),
                              more = counted(count, 104729, 1 << 20);
  const auto operand = [&](const std::vector<uint32_t>& words, StorageType storage, const Layout& layout) {
    return Strided{buffer_of(device, words), storage, layout};
  };
  ExpressionBuilder builder(domain);
  const int at = builder.load(operand(index, StorageType::i32, layout::contiguous(domain)));
  int value = builder.load_at(operand(table, StorageType::u32, {domain, {0, 0}, 0}), {0, lines_length - 1}, at);
  if (transposed) {
    const Layout turned = layout::permute(layout::contiguous({columns, rows}), {1, 0});
    const int other = builder.load(operand(more, StorageType::u32, turned));
    value = builder.operation(Op::add, DType::u32, {value, other, -1});
  }
  MapKernel kernel{builder.take(), operand(more, StorageType::u32, layout::contiguous(domain))};
  collapse(kernel);
  AsHardware hardware(device);
  EXPECT_EQ(glsl_of(hardware.target(), kernel).find("eg_tile") != std::string::npos, transposed);
  hardware.run(kernel);
  const std::vector<uint32_t> found = download(device, kernel.out.buffer->storage(), static_cast<size_t>(count));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const auto place = static_cast<size_t>(i * columns + j);
      const uint32_t added = transposed ? more[static_cast<size_t>(j * rows + i)] : 0;
      ASSERT_EQ(found[place], table[index[place]] + added) << "at " << i << ", " << j;
    }
}

TEST(LoadAtSchedules, of_rows_of_any_length) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (int64_t columns : {1, 3, 4, 33, 64, 127}) check_loads(*device, 5, columns, false);
}

TEST(LoadAtSchedules, beside_transposed_operands) {
  const std::unique_ptr<GlRuntime> device = open_runtime();
  for (int64_t columns : {33, 64, 66, 127}) check_loads(*device, 65, columns, true);
}

}  // namespace
}  // namespace eglantine::test

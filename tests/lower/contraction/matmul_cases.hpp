#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "gl/fixture.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/contraction/schedule/schedule.hpp"
#include "lower/contraction/schedule/tuning.hpp"
#include "support/as_hardware.hpp"
#include "support/random/draw.hpp"
#include "support/stored_elements.hpp"

/// What the tests of products in the forms for hardware share.
namespace eglantine::test {

enum class MatrixOrder { rows, columns, one_row };  // one_row: the first row for all rows

/// (batch, m, k) x (batch, k, n) with operands in either order, checked against loops in double.
struct MatmulCase {
  int64_t batch, m, n, k, cores;
  MatrixOrder a = MatrixOrder::rows, b = MatrixOrder::rows;
  int epilogue = 0;  ///< operations of an epilogue: bias, or bias, others, and from four on a long function
  bool large_pages = false;
  int dispatches = 0;  ///< that it takes; 0: not told
  StorageType of_a = StorageType::f32, of_b = StorageType::f32, of_out = StorageType::f32;
  int64_t start = 0;      ///< elements before an operand's first one
  bool one_axis = false;  ///< of the results, whose epilogue has no operands
  bool integers = false;  ///< small ones, whose sums are exact: of a long k no term may be missing
  int64_t behind = 0;     ///< elements behind each of b's rows, in the order of rows
};

inline std::string text_of(const MatmulCase& c) {
  std::string text = test::text({c.batch, c.m, c.n, c.k}) + " orders " +
                     test::text({static_cast<int64_t>(c.a), static_cast<int64_t>(c.b)});
  for (StorageType storage : {c.of_a, c.of_b, c.of_out}) text += " " + std::string(name_of(dtype_of(storage)));
  return text + " from " + std::to_string(c.start);
}

/// Tuning with that tile for products of those lengths, however they are read.
inline std::shared_ptr<const lower::Tuning> only(const lower::MatmulTile& tile, const MatmulCase& c) {
  using lower::MatmulRead;
  auto tuning = std::make_shared<lower::Tuning>();
  for (const MatmulRead a : {MatmulRead::k_major, MatmulRead::mn_major, MatmulRead::single})
    for (const MatmulRead b : {MatmulRead::k_major, MatmulRead::mn_major, MatmulRead::single})
      tuning->tiles.emplace(lower::class_of(c.m, c.n, c.k, c.batch, a, b), tile);
  return tuning;
}

class MatmulForms : public testing::TestWithParam<MatmulCase> {
 protected:
  explicit MatmulForms(bool gles = false) : device_(open_runtime({}, gles)) {}

  /// Of one multiprocessor, not tuned.
  AsHardware hardware() {
    AsHardware target(*device_, 2048);
    target.plan_for().tuning = nullptr;
    return target;
  }

  lower::Contraction product_of(const MatmulCase& c) {
    const MatmulKernel kernel = kernel_of(c, data_of(c), buffer_of(*device_, Words(1)));
    return lower::products_of(kernel, kernel.out)[0];
  }

  lower::MatmulShader shader_of(AsTarget& target, const MatmulCase& c) {
    return lower::shader_for(target.target(), product_of(c), true);
  }

  /// tile: the one that tuning chooses; null: the schedule's.
  void meets_the_bound(const MatmulCase& c, const lower::MatmulTile* tile = nullptr) {
    AsHardware hardware(*device_, c.cores * 2048);
    hardware.plan_for().large_pages = c.large_pages;
    hardware.plan_for().tuning = tile == nullptr ? nullptr : only(*tile, c);
    meets_the_bound(hardware, c);
    if (c.epilogue > 0 && !is_narrow(c.of_out)) {
      const size_t last = hardware.names.find_last_of('\n', hardware.names.size() - 2) + 1;
      EXPECT_EQ(hardware.names.compare(last, 3, "map") == 0, c.large_pages && c.epilogue > 3) << hardware.names;
    }
    if (c.dispatches > 0) {
      EXPECT_EQ(hardware.dispatches, c.dispatches) << hardware.names;
    }
  }

  void meets_the_bound(AsTarget& target, const MatmulCase& c) {
    SCOPED_TRACE(text_of(c));
    const Data data = data_of(c);
    const Words before(
        words_of({DType::f32, {}, std::vector<double>(static_cast<size_t>(results(c).elements()), -7.0)}, c.of_out));
    MatmulKernel kernel = kernel_of(c, data, buffer_of(*device_, before));
    if (c.one_axis) kernel.out.layout = layout::contiguous(kernel.epilogue.domain = {results(c).elements()});
    target.run(kernel);
    compare(c, data, download(*device_, kernel.out.buffer->storage(), before.size()));
  }

  std::unique_ptr<gl::GlRuntime> device_;

 private:
  /// As they lie in memory.
  struct Data {
    Array a, b, bias;

    double left(const MatmulCase& c, int64_t g, int64_t i, int64_t k) const {
      return a.values[static_cast<size_t>(g * c.m * c.k + (c.a == MatrixOrder::rows ? i * c.k + k : k * c.m + i))];
    }
    double right(const MatmulCase& c, int64_t g, int64_t k, int64_t j) const {
      const int64_t at = c.b == MatrixOrder::rows      ? k * (c.n + c.behind) + j
                         : c.b == MatrixOrder::columns ? j * c.k + k
                                                       : j;
      return b.values[static_cast<size_t>(g * c.k * (c.n + c.behind) + at)];
    }
  };

  static Array numbers(const MatmulCase& c, StorageType storage, int64_t count, uint64_t seed) {
    Array x = random_elements(storage, {count}, seed);
    for (double& value : x.values)
      if (c.integers) value = std::round(8 * value);
    return x;
  }

  static Data data_of(const MatmulCase& c) {
    return {numbers(c, c.of_a, c.batch * c.m * c.k, 1), numbers(c, c.of_b, c.batch * c.k * (c.n + c.behind), 2),
            numbers(c, StorageType::f32, c.n, 3)};
  }

  static Shape results(const MatmulCase& c) { return {c.batch * c.m, c.n}; }

  Strided matrix(const Array& x, StorageType storage, const Shape& shape, MatrixOrder order, int64_t start,
                 int64_t behind = 0) {
    const int64_t rows = shape[1], columns = shape[2] + behind,
                  down = order == MatrixOrder::rows      ? columns
                         : order == MatrixOrder::columns ? 1
                                                         : 0;
    return {buffer_of(*device_, words_of(x, storage, start)),
            storage,
            {shape, {rows * columns, down, order == MatrixOrder::columns ? rows : 1}, start}};
  }

  Expr epilogue_of(const MatmulCase& c, const Array& bias) {
    ExpressionBuilder epilogue(results(c));
    int value = epilogue.accumulator(DType::f32);
    if (c.epilogue > 0) {
      const Strided row{
          buffer_of(*device_, words_of(bias, StorageType::f32)), StorageType::f32, {results(c), {0, 1}, 0}};
      const int loaded = epilogue.load(row);
      value = epilogue.operation(Op::add, DType::f32, {value, loaded, -1});
    }
    for (int i = 1; i < c.epilogue; ++i) value = epilogue.operation(Op::neg, DType::f32, {value, -1, -1});
    if (c.epilogue > 3) {
      const int large = epilogue.parameter(DType::f32, {std::bit_cast<uint32_t>(0x1p30F)});
      value = epilogue.operation(Op::fmod, DType::f32, {value, large, -1});
    }
    if (is_narrow(c.of_out)) epilogue.elementwise(Op::cast, DType::f32, dtype_of(c.of_out), {value, -1, -1});
    return epilogue.take();
  }

  MatmulKernel kernel_of(const MatmulCase& c, const Data& data, const BufferPtr& out) {
    MatmulKernel kernel;
    kernel.batch = {c.batch};
    kernel.m = c.m;
    kernel.n = c.n;
    kernel.k = c.k;
    kernel.a = matrix(data.a, c.of_a, {c.batch, c.m, c.k}, c.a, c.start);
    kernel.b = matrix(data.b, c.of_b, {c.batch, c.k, c.n}, c.b, c.start, c.behind);
    kernel.epilogue = epilogue_of(c, data.bias);
    kernel.out = {out, c.of_out, layout::contiguous(results(c))};
    return kernel;
  }

  static void compare(const MatmulCase& c, const Data& data, const Words& found) {
    const int64_t step = c.m > 4000 ? 13 : 1;  // as many rows as a test has time for
    for (int64_t g = 0; g < c.batch; ++g)
      for (int64_t i = 0; i < c.m; i += step)
        for (int64_t j = 0; j < c.n; ++j) {
          double sum = c.epilogue > 0 ? data.bias.values[static_cast<size_t>(j)] : 0.0, size = std::abs(sum);
          for (int64_t k = 0; k < c.k; ++k) {
            const double product = data.left(c, g, i, k) * data.right(c, g, k, j);
            sum += product;
            size += std::abs(product);
          }
          const double error = c.integers ? 0 : size * static_cast<double>(c.k + 1) * 0x1p-24,
                       value = element_at(found, c.of_out, (g * c.m + i) * c.n + j);
          ASSERT_TRUE(is_rounded(value, dtype_of(c.of_out), sum, error))
              << value << " instead of " << sum << " at " << g << " " << i << " " << j;
        }
  }
};

class MatmulTiles : public MatmulForms {
 protected:
  void meet_the_bound(const MatmulCase& c, Draw draw) {
    for (const lower::MatmulTile& tile : lower::known_tiles(false)) {
      if (!tile.fits(device_->target()) || !draw.next()) continue;
      SCOPED_TRACE(text_of(tile));
      meets_the_bound(c, &tile);
    }
  }
};

}  // namespace eglantine::test

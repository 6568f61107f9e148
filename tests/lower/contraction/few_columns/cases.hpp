#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>

#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/as_subgroups.hpp"
#include "lower/contraction/few_columns/choice.hpp"
#include "lower/contraction/schedule/tuning.hpp"
#include "lower/schedules.hpp"
#include "support/random/random_data.hpp"

/// What the tests of products with few columns in the forms for hardware share.
namespace eglantine::test {

/// (batch, rows, k) x (batch, k, columns), checked against loops in double.
struct FewColumnsCase {
  int64_t batch, rows, k, columns;
  bool along_rows = false;                    ///< the matrix's columns are contiguous
  bool columns_first = false;                 ///< results are (batch, columns, rows)
  bool scaled = false;                        ///< the matrix is times a scale of each row, and a bias follows
  int64_t resident = 4096;                    ///< invocations
  StorageType storage = StorageType::f32;     ///< of the matrix: f32, f16, bf16 or i8
  int64_t block = 0;                          ///< where scaled: elements of a row that share a scale, instead of all
  bool across = false;                        ///< the columns of a step are neighbours in memory
  int64_t apart = 0;                          ///< where across: elements between two steps' columns
  StorageType of_columns = StorageType::f32;  ///< f32, f16 or bf16
  bool zeros = false;                         ///< where in blocks of i8: less a zero of each block
  int64_t start = 0;                          ///< elements in memory before the matrix
  bool backwards = false;                     ///< what is contiguous of the matrix lies in memory from its end on
  StorageType of_results = StorageType::f32;  ///< f32, f16 or bf16
  bool computed = false;                      ///< the matrix is no load alone, which other kernels may take
};

inline std::string text_of(const FewColumnsCase& c) {
  return text({c.batch, c.rows, c.k, c.columns}) + (c.along_rows ? " along rows" : "") +
         (c.columns_first ? " columns first" : "") + " " + std::string(name_of(dtype_of(c.storage))) +
         (c.block > 0 ? " in blocks" : "") + (c.zeros ? " less zeros" : "") + (c.across ? " across" : "") +
         (c.apart > 0 ? " apart" : "") + (c.start > 0 ? " from inside a vector" : "") +
         (c.backwards ? " backwards" : "") + " to " + std::string(name_of(dtype_of(c.of_results)));
}

class FewColumnsSchedules : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }

  struct Run {
    Words results;
    int dispatches = 0;
    std::string names;
  };

  /// Of an array without elements some memory that nobody reads.
  static BufferPtr uploaded(const Array& x, StorageType storage = StorageType::f32, int64_t start = 0) {
    if (x.values.empty()) return buffer_of(*device_, Words(8));
    return buffer_of(*device_, words_of(x, storage, start));
  }

  /// With the last axis from its end on.
  static Array backwards(Array x) {
    for (auto row = x.values.begin(); row != x.values.end(); row += x.shape.back())
      std::reverse(row, row + x.shape.back());
    return x;
  }

  /// With the last two of three axes exchanged.
  static Array transposed(const Array& x) {
    Array turned{x.dtype, {x.shape[0], x.shape[2], x.shape[1]}, x.values};
    const double* from = x.values.data();
    const int64_t rows = x.shape[1], columns = x.shape[2];
    for (int64_t batch = 0; batch < x.shape[0] && x.size() > 0; ++batch)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          turned.values[static_cast<size_t>((batch * columns + column) * rows + row)] = *from++;
    return turned;
  }

  /// As the storage holds it.
  static Array stored(Array x, StorageType storage) {
    if (storage == StorageType::i8)
      for (double& value : x.values) value = std::round(value * 127);
    return as_stored(x, storage);
  }

  static Strided strided(const BufferPtr& buffer, const Shape& shape, const std::vector<int64_t>& strides) {
    return {buffer, StorageType::f32, {shape, strides, 0}};
  }

  struct Data {
    Array matrix, columns, scale, bias, zeros;

    /// A row of the matrix, as the product has it.
    std::vector<double> weights(const FewColumnsCase& c, int64_t batch, int64_t row) const {
      const auto first = matrix.values.begin() + (batch * c.rows + row) * c.k;
      std::vector<double> found(first, first + c.k);
      for (int64_t at = 0; at < c.k && (c.scaled || c.zeros); ++at) {
        const int64_t block = c.block > 0 ? at / c.block : 0;
        double& weight = found[static_cast<size_t>(at)];
        weight = (weight - (c.zeros ? zeros.at({row, block}) : 0)) * (c.scaled ? scale.at({row, block}) : 1);
      }
      return found;
    }
  };

  struct Sum {
    double value = 0, size = 0;  ///< size: of the products without their signs
  };
  /// On pointers: a test is compiled without optimisation, and some matrices have millions of elements.
  static Sum sum_of_products(const double* weights, const double* column, int64_t k) {
    Sum sum;
    for (int64_t i = 0; i < k; ++i) {
      const double product = weights[i] * column[i];
      sum.value += product;
      sum.size += product < 0 ? -product : product;
    }
    return sum;
  }
  static Data data_of(const FewColumnsCase& c) {
    return {stored(random_reals({c.batch, c.rows, c.k}, -1, 1, 1), c.storage),
            stored(random_reals({c.batch, c.columns, c.k}, -1, 1, 2), c.of_columns),
            random_reals({c.rows, c.block > 0 ? c.k / c.block : 1}, 0.5, 2, 3),
            random_reals({c.batch * c.columns * c.rows}, -1, 1, 4),
            stored(random_reals({c.rows, c.block > 0 ? c.k / c.block : 1}, -1, 1, 5), c.storage)};
  }

  /// To be planned or written as text, not to be run: its tensors have no elements.
  static FewColumnsKernel kernel_of(const FewColumnsCase& c) {
    return kernel_of(c, {{DType::f32, {c.batch, c.rows, c.k}, {}}, {}, {}, {}, {}}, buffer_of(*device_, Words(8)));
  }

  static FewColumnsKernel kernel_of(const FewColumnsCase& c, const Data& data, const BufferPtr& out) {
    const int64_t block = c.block > 0 ? c.block : c.k, blocks = c.k / block;
    const Shape domain{c.batch, c.rows, blocks, block}, results{c.batch * c.rows * c.columns};
    Array matrix = data.matrix;
    if (c.along_rows) matrix = transposed(matrix);
    ExpressionBuilder prologue(domain), epilogue(results);
    std::vector<int64_t> strides = c.along_rows ? std::vector<int64_t>{c.rows * c.k, 1, block * c.rows, c.rows}
                                                : std::vector<int64_t>{c.rows * c.k, c.k, block, 1};
    int64_t first = c.start;
    if (c.backwards) {
      matrix = backwards(matrix);
      strides[c.along_rows ? 1 : 3] = -1;
      if (!c.along_rows) strides[2] = -block;
      first += (c.along_rows ? c.rows : c.k) - 1;
    }
    int x = prologue.load({uploaded(matrix, c.storage, c.start), c.storage, {domain, strides, first}});
    if (c.storage == StorageType::i8) x = prologue.operation(Op::cast, DType::f32, {x, -1, -1});
    for (int i = 0; c.computed && i < 2; ++i) x = prologue.operation(Op::neg, DType::f32, {x, -1, -1});
    const int sum = epilogue.accumulator(DType::f32);
    const std::vector<int64_t> by_block{0, blocks, c.block > 0 ? 1 : 0, 0};
    if (c.zeros) {
      const int loaded = prologue.load({uploaded(data.zeros, c.storage), c.storage, {domain, by_block, 0}});
      const int zero = prologue.operation(Op::cast, DType::f32, {loaded, -1, -1});
      x = prologue.operation(Op::sub, DType::f32, {x, zero, -1});
    }
    if (c.scaled) {
      const int scale = prologue.load(strided(uploaded(data.scale), domain, by_block));
      prologue.operation(Op::mul, DType::f32, {x, scale, -1});
      const int bias = epilogue.load(strided(uploaded(data.bias), results, {1}));
      epilogue.operation(Op::add, DType::f32, {sum, bias, -1});
    }
    FewColumnsKernel kernel;
    kernel.prologue = prologue.take();
    kernel.batch_rank = 1;
    kernel.kept_rank = 2;
    Array columns = data.columns;
    const int64_t step = c.across ? c.columns + c.apart : 1;
    if (c.across && columns.size() > 0)
      columns = generate(DType::f32, {c.batch, c.k, step}, [&](const Dims& at) {
        return at[2] < c.columns ? data.columns.at({at[0], at[2], at[1]}) : NAN;
      });
    kernel.vectors =
        strided(uploaded(columns, c.of_columns), domain, {(c.columns + c.apart) * c.k, 0, block * step, step});
    kernel.vectors.storage = c.of_columns;
    kernel.columns = {{c.columns}, {c.across ? 1 : c.k}, 0};
    kernel.columns_first = c.columns_first;
    kernel.epilogue = epilogue.take();
    kernel.out = strided(out, results, {1});
    kernel.out.storage = c.of_results;
    collapse(kernel);
    return kernel;
  }

  static Words expect_close(AsTarget& target, const FewColumnsCase& c) {
    SCOPED_TRACE(text_of(c));
    const Data data = data_of(c);
    const int64_t count = c.batch * c.rows * c.columns;
    const auto words = static_cast<size_t>(ceil_divide(count * bytes_of(c.of_results), 4));
    const BufferPtr out = buffer_of(*device_, Words(words + 4, 0x7fc0deadU));
    target.run(kernel_of(c, data, out));
    const Words found = download(*device_, out->storage(), words + 4);
    const double rounding = c.of_results == StorageType::f32 ? 0 : c.of_results == StorageType::f16 ? 0x1p-11 : 0x1p-8;
    const auto expect_row = [&](int64_t batch, int64_t row) {
      const std::vector<double> weights = data.weights(c, batch, row);
      for (int64_t column = 0; column < c.columns; ++column) {
        const int64_t place =
            c.columns_first ? (batch * c.columns + column) * c.rows + row : (batch * c.rows + row) * c.columns + column;
        const double* factors = data.columns.values.data() + (batch * c.columns + column) * c.k;
        auto [sum, size] = sum_of_products(weights.data(), factors, c.k);
        if (c.scaled) sum += data.bias.at({place});
        ASSERT_NEAR(element_at(found, c.of_results, place), sum,
                    (size + 1) * static_cast<double>(c.k + 2) * 0x1p-24 + std::abs(sum) * rounding)
            << text({batch, row, column}) << "\n"
            << target.names;
      }
    };
    for (int64_t batch = 0; batch < c.batch; ++batch)
      for (int64_t row = 0; row < c.rows && !HasFatalFailure(); ++row) expect_row(batch, row);
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(found[words + i], 0x7fc0deadU) << "past the end";
    return found;
  }

  static void in_both_orders(FewColumnsCase c) {
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

}  // namespace eglantine::test

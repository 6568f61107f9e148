#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "graph/row/chain.hpp"
#include "layout/layout.hpp"
#include "lower/row/formulas.hpp"
#include "lower/schedules.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {

/// Rows of a (rows, length) tensor, or columns of a (length, rows) one.
struct RowCase {
  RowFormula op;
  int64_t rows, length;
  bool columns = false;
  bool mean = false;      ///< of a var, as an extra output
  float outlier = 0;      ///< instead of each row's first element, unless 0
  bool repeated = false;  ///< all rows are the first one
  int64_t gap = 0;        ///< of rows in memory, from one's end to the next one's begin
  bool across = false;    ///< rows are read as columns, and stored as rows; or columns the other way round
  bool constant = false;  ///< each row's elements are its first one
  bool alike = false;     ///< across: made so, but it lies as the results do

  Layout layout() const { return {{rows, length}, {columns ? 1 : length, columns ? rows : 1}, 0}; }
  Layout read() const {
    if (gap > 0) return {{rows, length}, {length + gap, 1}, 0};
    if (across && !alike) return {{rows, length}, {columns ? length : 1, columns ? 1 : rows}, 0};
    if (constant) return {{rows, length}, {columns ? 1 : length, 0}, 0};
    return repeated ? Layout{{rows, length}, {0, columns ? rows : 1}, 0} : layout();
  }
  Layout result() const { return reduces(op) ? Layout{{rows, length}, {1, 0}, 0} : layout(); }
  size_t at(int64_t row, int64_t i) const { return static_cast<size_t>(columns ? i * rows + row : row * length + i); }
};

/// Row kernels in their forms for hardware, and for software, on any device.
class RowSchedules : public testing::Test {
 protected:
  explicit RowSchedules(bool gles = false) : device_(open_runtime({}, gles)) {}

  gl::Target hardware(bool large_pages = false) const {
    gl::Target target = device_->target();
    target.software = false;
    target.large_pages = large_pages;
    target.resident_invocations = 4096;
    return target;
  }

  gl::Target software() const {
    gl::Target target = device_->target();
    target.software = true;
    target.maps_memory = false;  // copies by the host are no dispatches
    return target;
  }

  Words input(const RowCase& c, double center) const {
    Random random(7);
    Words x(static_cast<size_t>(c.rows * c.length));
    for (uint32_t& word : x) {
      const auto value = static_cast<float>(center + random.real(-8, 8));
      word = std::bit_cast<uint32_t>(halves_ ? static_cast<float>(half(value)) : value);
    }
    for (int64_t row = 1; row < c.rows && c.repeated; ++row)
      for (int64_t i = 0; i < c.length; ++i) x[c.at(row, i)] = x[c.at(0, i)];
    for (int64_t row = 0; row < c.rows && c.constant; ++row)
      for (int64_t i = 1; i < c.length; ++i) x[c.at(row, i)] = x[c.at(row, 0)];
    for (int64_t row = 0; row < c.rows && c.outlier != 0; ++row) x[c.at(row, 0)] = std::bit_cast<uint32_t>(c.outlier);
    return x;
  }

  /// The rows as read() has them.
  static Words in_memory(const Words& x, const RowCase& c) {
    if (c.across && !c.alike) {
      Words beside(x.size());
      for (int64_t row = 0; row < c.rows; ++row)
        for (int64_t i = 0; i < c.length; ++i)
          beside[static_cast<size_t>(c.columns ? row * c.length + i : i * c.rows + row)] = x[c.at(row, i)];
      return beside;
    }
    if (c.gap == 0) return x;
    Words spread(static_cast<size_t>(c.rows * (c.length + c.gap)));
    for (int64_t row = 0; row < c.rows; ++row)
      for (int64_t i = 0; i < c.length; ++i)
        spread[static_cast<size_t>(row * (c.length + c.gap) + i)] = x[c.at(row, i)];
    return spread;
  }

  Words run(const gl::Target& target, const Words& elements, const RowCase& c) {
    const Words x = in_memory(elements, c);
    const Layout layout = c.read();
    const size_t results = reduces(c.op) ? static_cast<size_t>(c.rows) : elements.size();
    const BufferPtr out = buffer_of(*device_, Words(results));
    std::optional<Strided> mean;
    if (c.mean) mean = Strided{buffer_of(*device_, Words(results)), StorageType::f32, c.result()};
    const Strided operand = halves_
                                ? Strided{buffer_of(*device_, packed(x, StorageType::f16)), StorageType::f16, layout}
                                : Strided{buffer_of(*device_, x), StorageType::f32, layout};
    RowKernel kernel = row_kernel(c.op, operand, {out, StorageType::f32, c.result()}, c.columns && c.rows > 1, mean);
    kernel.across = c.across && !reduces(c.op);
    PlannedAs planned(*device_, target);
    planned.run(kernel);
    names_ = planned.names;
    if (mean) means_ = download(*device_, mean->buffer->storage(), results);
    return download(*device_, out->storage(), results);
  }

  void expect_close(const gl::Target& target, const RowCase& c, double center = 0) {
    const Words x = input(c, center), y = run(target, x, c);
    for (int64_t row = 0; row < c.rows; ++row) {
      const auto value = [&](int64_t i) { return static_cast<double>(std::bit_cast<float>(x[c.at(row, i)])); };
      double largest = value(0), mean = 0, sum = 0, squares = 0, own_squares = 0;
      for (int64_t i = 0; i < c.length; ++i) largest = std::max(largest, value(i));
      for (int64_t i = 0; i < c.length; ++i) mean += value(i) / static_cast<double>(c.length);
      for (int64_t i = 0; i < c.length; ++i) {
        sum += std::exp(value(i) - largest);
        squares += (value(i) - mean) * (value(i) - mean) / static_cast<double>(c.length);
        own_squares += value(i) * value(i) / static_cast<double>(c.length);
      }
      const auto check = [&](size_t at, double expected, double tolerance) {
        ASSERT_NEAR(std::bit_cast<float>(y[at]), expected, tolerance)
            << c.rows << " x " << c.length << (c.columns ? " columns" : "") << " row " << row << "\n"
            << names_;
      };
      const auto at = static_cast<size_t>(row);
      if (c.op == RowFormula::var) check(at, squares, 1e-5 * squares + 1e-6 * mean * mean);
      if (c.mean) {
        ASSERT_NEAR(std::bit_cast<float>(means_[at]), mean, 1e-5 + 1e-6 * std::abs(mean)) << names_;
      }
      if (c.op == RowFormula::logsumexp) check(at, largest + std::log(sum), 1e-6 * std::max(1.0, std::abs(largest)));
      for (int64_t i = 0; i < c.length; ++i) {
        const double standard = (value(i) - mean) / std::sqrt(squares + row_eps);
        if (c.op == RowFormula::standardize) check(c.at(row, i), standard, 4e-6 * std::max(1.0, std::abs(standard)));
        if (c.op == RowFormula::rms) check(c.at(row, i), value(i) / std::sqrt(own_squares + row_eps), 4e-6);
      }
      for (int64_t i = 0; i < c.length && (c.op == RowFormula::softmax || c.op == RowFormula::log_softmax); ++i) {
        const double share = std::exp(value(i) - largest) / sum;
        // Shares of long rows are small: an absolute 1e-6 would hardly test them.
        c.op == RowFormula::softmax ? check(c.at(row, i), share, 4e-6 * share)
                                    : check(c.at(row, i), std::log(share), 1e-6 * std::max(1.0, -std::log(share)));
      }
    }
  }

  std::unique_ptr<gl::GlRuntime> device_;
  std::string names_;
  Words means_;
  bool halves_ = false;  ///< the operand's elements are f16
};

}  // namespace eglantine::test

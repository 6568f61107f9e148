#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "gl/fixture.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "support/as_hardware.hpp"
#include "support/stored_elements.hpp"

/// What the tests of maps of narrow elements in the forms for hardware share.
namespace eglantine::test {

inline constexpr StorageType narrow_storages[] = {StorageType::f16, StorageType::bf16, StorageType::i8,
                                                  StorageType::u8};

/// x * y + z * ... of operands in any storage, as verbs compute it: each is converted to the result's type, and each
/// step's result is rounded, or wraps. One operand alone is copied. f16's and bf16's results are exact, since floats
/// have more than twice their digits.
class NarrowMap {
 public:
  NarrowMap(gl::GlRuntime& device, const Shape& domain, StorageType storage, const Layout& layout)
      : device_(device),
        domain_(domain),
        before_(words_of(random_elements(storage, {span_of(layout) + 9}, 99), storage)) {
    out_ = {buffer_of(device, before_), storage, layout};
  }
  NarrowMap(gl::GlRuntime& device, const Shape& domain, StorageType storage)
      : NarrowMap(device, domain, storage, layout::contiguous(domain)) {}

  /// Nothing but padding lies behind the result.
  NarrowMap& whole() { return out_.whole = true, *this; }

  NarrowMap& add(StorageType storage, const Layout& layout) {
    const Array memory = random_elements(storage, {span_of(layout)}, operands_.size() + 1);
    operands_.push_back({buffer_of(device_, words_of(memory, storage)), storage, layout});
    values_.push_back(memory);
    return *this;
  }
  NarrowMap& add(StorageType storage) { return add(storage, layout::contiguous(domain_)); }

  /// Adds another view of the last operand's memory, which holds it.
  NarrowMap& add_view(const Layout& layout) {
    operands_.push_back({operands_.back().buffer, operands_.back().storage, layout});
    values_.push_back(values_.back());
    return *this;
  }

  /// Adds an operand whose axes are in this order in memory.
  NarrowMap& add_permuted(StorageType storage, const Axes& order) {
    Shape memory = domain_;
    Axes back = order;
    for (int i = 0; i < domain_.rank(); ++i) memory[i] = domain_[static_cast<int>(order[i])];
    for (int i = 0; i < domain_.rank(); ++i) back[order[i]] = i;
    return add(storage, layout::permute(layout::contiguous(memory), back));
  }

  /// As on hardware.
  std::string glsl(const std::function<void(gl::Target&)>& change = [](gl::Target&) {}) const {
    AsHardware hardware(device_);
    change(hardware.plan_for());
    return glsl_of(hardware.target(), kernel());
  }
  /// Whether it takes a tiled transpose as on hardware.
  bool is_tiled() const { return glsl().find("eg_tile") != std::string::npos; }

  /// Runs as on hardware; compares every element of the result, and that what lies around it keeps its bits.
  void check(const std::function<void(gl::Target&)>& change = [](gl::Target&) {}) const {
    SCOPED_TRACE(to_string(domain_) + " " + std::string(name_of(dtype_of(out_.storage))));
    AsHardware hardware(device_);
    change(hardware.plan_for());
    hardware.run(kernel());
    Words expected;
    for (int64_t i = 0; i < span_of(out_.layout) + (out_.whole ? 0 : 9); ++i)
      expected.push_back(bits_at(before_, out_.storage, i));
    for (int64_t i = 0; i < domain_.elements(); ++i)
      expected[static_cast<size_t>(place_of(out_.layout, i))] = bits_of_element(expected_at(i), out_.storage);
    const Words found = download(device_, out_.buffer->storage(), before_.size());
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(bits_at(found, out_.storage, static_cast<int64_t>(i)), expected[i]) << "at " << i << "\n"
                                                                                    << hardware.names;
  }

 private:
  static int64_t span_of(const Layout& x) { return layout::reach(x).last + 1; }
  static bool multiplies(size_t operand) { return operand % 2 == 1; }

  MapKernel kernel() const {
    const DType to = dtype_of(out_.storage);
    ExpressionBuilder builder(domain_);
    int value = -1;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const DType from = dtype_of(operands_[i].storage);
      int x = builder.load(operands_[i]);
      if (from != to) x = builder.elementwise(Op::cast, from, to, {x, -1, -1});
      value = i == 0 ? x : builder.elementwise(multiplies(i) ? Op::mul : Op::add, to, to, {value, x, -1});
    }
    builder.end_with(value);
    MapKernel kernel{builder.take(), out_};
    drop_last_rounding(kernel.value, out_.storage);
    collapse(kernel);
    return kernel;
  }

  double expected_at(int64_t i) const {
    const DType to = dtype_of(out_.storage);
    double value = 0;
    for (size_t k = 0; k < operands_.size(); ++k) {
      const double x = as_element(to, values_[k].values[static_cast<size_t>(place_of(operands_[k].layout, i))]);
      value = k == 0 ? x : as_element(to, multiplies(k) ? value * x : value + x);
    }
    return value;
  }

  gl::GlRuntime& device_;
  Shape domain_;
  Words before_;
  Strided out_;
  std::vector<Strided> operands_;
  std::vector<Array> values_;
};

}  // namespace eglantine::test

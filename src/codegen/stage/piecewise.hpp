#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/uniforms.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::codegen {

/// Bounds what a piecewise read reaches over the expression's domain; one element where it reads nothing there.
layout::Reach reach_of(const Expr& expr, const PiecewiseRead& read);

/// The GLSL of a piecewise read, an element at a time. Addresses and coordinates are modulo 2^32.
class PiecewiseText {
 public:
  /// signs: of packed bounds, else 0.
  explicit PiecewiseText(PiecewiseRead read, uint32_t signs = 0) : read_(std::move(read)), signs_(signs) {}

  bool has_packed_bounds() const { return signs_ != 0; }
  std::string exists(const std::string& packed) const;  ///< of packed bounds: the condition that the element is read
  std::string otherwise(DType dtype, int width) const;  ///< what it is elsewhere

  void add_uniforms(Uniforms& uniforms);

  /// coordinate(k): the value of iota k, from 0 on. packed: the word of packed bounds.
  using Coordinate = std::function<std::string(int)>;
  /// Statements that define `name`, of `width` elements, each of which exists where the first does. Every invocation
  /// reads, those without an element the block's first: a branch around each read would make them wait for one another.
  std::string statements(const std::string& name, DType dtype, int width, const std::string& address,
                         const Coordinate& coordinate, const std::function<std::string(const std::string&)>& element,
                         const std::string& packed = "") const;

 private:
  std::string place(const std::string& address, const Coordinate& coordinate) const;
  /// The condition that the element is read; may be empty.
  std::string exists(const Coordinate& coordinate, const std::string& packed) const;

  PiecewiseRead read_;
  uint32_t signs_;
  std::vector<int> jump_slots_, bound_slots_;
  int otherwise_slot_ = -1;
};

}  // namespace eglantine::codegen

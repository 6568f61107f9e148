#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/uniforms.hpp"
#include "graph/kernel.hpp"

namespace eglantine::codegen {

/// Bounds what a piecewise read reaches over the expression's domain; one element where it reads nothing there.
layout::Reach reach_of(const Expr& expr, const PiecewiseRead& read);

/// The GLSL of a piecewise read, an element at a time. Addresses and coordinates are modulo 2^32.
class PiecewiseText {
 public:
  explicit PiecewiseText(PiecewiseRead read) : read_(std::move(read)) {}

  void add_uniforms(Uniforms& uniforms);

  /// coordinate(k): the value of iota k, from 0 on; element(address): the element there, of `dtype`.
  std::string value(DType dtype, const std::string& address, const std::function<std::string(int)>& coordinate,
                    const std::function<std::string(const std::string&)>& element) const;

 private:
  PiecewiseRead read_;
  std::vector<int> jump_slots_, bound_slots_;
  int otherwise_slot_ = -1;
};

}  // namespace eglantine::codegen

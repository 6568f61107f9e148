#include "verbs/constant_folding.hpp"

#include <bit>
#include <cmath>

#include "graph/graph_lock.hpp"
#include "graph/node.hpp"

namespace eglantine::verbs {

namespace {

/// Of a constant that is no zero, which a device may give another sign, and normal; else 0.
float number_of(const Tensor& x) {
  const auto* constant = x.dtype() == DType::f32 ? x.node()->as<nodes::Constant>() : nullptr;
  const float number = constant != nullptr ? std::bit_cast<float>(constant->bits) : 0;
  return std::isnormal(number) ? number : 0;
}

std::optional<float> result_of(Op op, float x, float y) {
  switch (op) {
    case Op::neg:
      return -x;
    case Op::add:
      return x + y;
    case Op::sub:
      return x - y;
    case Op::mul:
      return x * y;
    case Op::div:
      return x / y;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Tensor> folded(Op op, const Tensor& x, const Tensor& y, const Shape& shape) {
  const float a = number_of(x), b = number_of(y);
  if (a == 0 || b == 0 || PlanParts::are_made()) return std::nullopt;
  const std::optional<float> result = result_of(op, a, b);
  if (!result || !std::isnormal(*result)) return std::nullopt;
  return Tensor(make_constant(x.node()->device, DType::f32, shape, std::bit_cast<uint32_t>(*result)));
}

}  // namespace eglantine::verbs

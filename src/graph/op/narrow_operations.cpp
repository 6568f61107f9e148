#include "graph/op/narrow_operations.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "element_types.hpp"

namespace eglantine {

bool stays_narrow(Op op, DType dtype) {
  constexpr std::array of_any{Op::copy, Op::where, Op::maximum, Op::minimum, Op::fmax,
                              Op::fmin, Op::relu,  Op::sign,    Op::clip};
  constexpr std::array of_floats{Op::neg, Op::abs, Op::copysign, Op::floor, Op::ceil, Op::round, Op::trunc};
  constexpr std::array of_integers{Op::bit_and, Op::bit_or, Op::bit_xor, Op::shift_right};
  const auto has = [op](const auto& ops) { return std::find(ops.begin(), ops.end(), op) != ops.end(); };
  return has(of_any) || (is_float(dtype) ? has(of_floats) : has(of_integers));
}

Op narrowing_of(DType dtype) {
  if (dtype == DType::f16) return Op::round_f16;
  if (dtype == DType::bf16) return Op::round_bf16;
  return dtype == DType::i8 ? Op::wrap_i8 : Op::wrap_u8;
}

Op near_form(Op op, DType dtype) {
  const bool halves = dtype == DType::f16;
  if (is_float(dtype) && op == Op::div) return halves ? Op::div_f16 : Op::div_bf16;
  if (op == Op::reciprocal) return halves ? Op::reciprocal_f16 : Op::reciprocal_bf16;
  constexpr std::array<std::pair<Op, Op>, 11> forms{{{Op::exp, Op::exp_near},
                                                     {Op::expm1, Op::expm1_near},
                                                     {Op::log, Op::log_near},
                                                     {Op::log2, Op::log2_near},
                                                     {Op::log10, Op::log10_near},
                                                     {Op::log1p, Op::log1p_near},
                                                     {Op::tanh, Op::tanh_near},
                                                     {Op::sigmoid, Op::sigmoid_near},
                                                     {Op::softplus, Op::softplus_near},
                                                     {Op::sin, Op::sin_near},
                                                     {Op::cos, Op::cos_near}}};
  const auto* form = std::ranges::find(forms, op, &std::pair<Op, Op>::first);
  return form == forms.end() ? op : form->second;
}

}  // namespace eglantine

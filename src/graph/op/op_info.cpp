#include "graph/op/op_info.hpp"

#include <array>
#include <bit>
#include <type_traits>

#include "element_types.hpp"
#include "graph/op/identities.hpp"

namespace eglantine {

namespace {

template <class T>
uint32_t bits_of(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else
    return static_cast<uint32_t>(value);
}

/// The bits of make.operator()<T>(), T the C++ type of a dtype. Bytes have extremes of their own, halves those of f32.
template <class Make>
uint32_t bits_for(DType dtype, Make make) {
  if (dtype == DType::i8) return bits_of(make.template operator()<int8_t>());
  if (dtype == DType::u8) return bits_of(make.template operator()<uint8_t>());
  return with_computed_type(dtype, [&]<class T>() { return bits_of<T>(make.template operator()<T>()); });
}

}  // namespace

const std::vector<OpInfo>& all_operations() {
  static const auto* rows = new std::vector<OpInfo>{
#define EG_ELEMENTWISE(name, arity, types, result, glsl, cpp, low, high, ulp, documentation) \
  {#name, Types::types, Result::result, glsl, ulp},
#define EG_REDUCTION(...)
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
  };
  return *rows;
}

const std::vector<ReductionInfo>& all_reductions() {
  static const auto* rows = new std::vector<ReductionInfo>{
#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(name, types, result, accumulator, glsl, cpp, identity, tolerance, documentation) \
  {#name,          Types::types,                                                                      \
   Result::result, Accumulator::accumulator,                                                          \
   glsl,           [](DType dtype) { return bits_for(dtype, []<class T>() -> T { return identity; }); }},
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
  };
  return *rows;
}

namespace {
// Before there are threads: a static half made when another thread forks stays so in the child.
[[maybe_unused]] const bool made_early = !all_operations().empty() && !all_reductions().empty();
}  // namespace

const OpInfo& info_of(Op op) { return all_operations()[static_cast<size_t>(op)]; }

const ReductionInfo& info_of(Reduction reduction) { return all_reductions()[static_cast<size_t>(reduction)]; }

std::string_view name_of(Op op) {
  if (op >= Op::cast) {
    constexpr std::string_view names[] = {"cast",        "load",   "load_at", "parameter", "iota",
                                          "accumulator", "custom", "store",   "fold",      "checked_index"};
    static_assert(std::size(names) == static_cast<size_t>(Op::checked_index) - static_cast<size_t>(Op::cast) + 1);
    return names[static_cast<size_t>(op) - static_cast<size_t>(Op::cast)];
  }
  return info_of(op).name;
}

std::string_view name_of(Reduction reduction) {
  return reduction == Reduction::custom ? "custom" : info_of(reduction).name;
}

bool is_arg(Reduction reduction) {
  return reduction != Reduction::custom && info_of(reduction).accumulator == Accumulator::pair;
}

bool is_logical(Reduction reduction) {
  return reduction != Reduction::custom && info_of(reduction).types == Types::logical;
}

bool starts_at_negative_zero(Reduction reduction, DType dtype) {
  constexpr uint32_t negative_zero = 0x80000000U;
  return reduction != Reduction::custom && is_float(dtype) && info_of(reduction).identity(dtype) == negative_zero;
}

uint32_t over_nothing(Reduction reduction, DType dtype) {
  return starts_at_negative_zero(reduction, dtype) ? 0 : info_of(reduction).identity(dtype);
}

bool has_many_steps(Op op, DType dtype) {
  switch (op) {
#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(...)
#define EG_MANY_STEPS(name, types) \
  case Op::name:                   \
    return takes(Types::types, dtype);
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
#undef EG_MANY_STEPS
    default:
      return op < Op::cast && info_of(op).ulp > 0;
  }
}

std::string_view glsl_of_four(Op op) {
  switch (op) {
#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(...)
#define EG_FOUR(name, glsl) \
  case Op::name:            \
    return glsl;
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
#undef EG_FOUR
    default:
      return {};
  }
}

bool takes(Types types, DType dtype) {
  if (types == Types::any || types == Types::where) return true;
  if (types == Types::real) return is_float(dtype);
  if (types == Types::logical) return dtype == DType::boolean;
  if (types == Types::word) return dtype == DType::u32;
  return is_integer(dtype) || (types == Types::numeric && is_float(dtype));
}

DType result_of(Result result, DType dtype) {
  constexpr std::array fixed{DType::boolean, DType::f32, DType::i32, DType::u32};
  return result == Result::same ? dtype : fixed[static_cast<size_t>(result) - 1];
}

}  // namespace eglantine

#include "graph/op_info.hpp"

namespace eglantine {

const std::vector<OpInfo>& all_operations() {
  static const auto* rows = new std::vector<OpInfo>{
#define EG_ELEMENTWISE(name, arity, types, result, glsl, cpp, low, high, ulp, documentation) \
  {#name, arity, Types::types, Result::result, glsl, low, high, ulp, documentation},
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
#define EG_REDUCTION(name, types, result, glsl, cpp, identity, tolerance, documentation) \
  {#name, Types::types, Result::result, glsl, tolerance, documentation},
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
    constexpr std::string_view names[] = {"cast", "load", "parameter", "index", "core", "own"};
    return names[static_cast<size_t>(op) - static_cast<size_t>(Op::cast)];
  }
  return info_of(op).name;
}

std::string_view name_of(Reduction reduction) { return reduction == Reduction::own ? "own" : info_of(reduction).name; }

bool takes(Types types, DType dtype) {
  switch (types) {
    case Types::real:
      return dtype == DType::f32;
    case Types::numeric:
      return dtype != DType::boolean;
    case Types::integer:
      return dtype == DType::i32 || dtype == DType::u32;
    case Types::logical:
      return dtype == DType::boolean;
    case Types::word:
      return dtype == DType::u32;
    case Types::any:
    case Types::where:
      return true;
  }
  return false;
}

DType result_of(Result result, DType dtype) {
  switch (result) {
    case Result::boolean:
      return DType::boolean;
    case Result::f32:
      return DType::f32;
    case Result::i32:
      return DType::i32;
    case Result::u32:
      return DType::u32;
    case Result::same:
      break;
  }
  return dtype;
}

}  // namespace eglantine

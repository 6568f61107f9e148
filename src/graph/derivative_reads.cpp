#include "graph/derivative_reads.hpp"

#include <string_view>

namespace eglantine {

namespace {

constexpr bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether a formula mentions a variable.
constexpr bool mentions(std::string_view formula, std::string_view name) {
  for (size_t at = formula.find(name); at != std::string_view::npos; at = formula.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_of_word(formula[at - 1])) && (end == formula.size() || !is_of_word(formula[end]))) return true;
  }
  return false;
}

constexpr DerivativeReads reads_of(std::string_view formula) {
  return {{mentions(formula, "x"), mentions(formula, "y"), mentions(formula, "z")}, mentions(formula, "result")};
}

static_assert(reads_of("g * (0.5 * erfc(x * -root_half))").arguments[0] && !reads_of("g * exp(y)").arguments[0]);
static_assert(reads_of("g / result").result && !reads_of("max(g, 0)").arguments[0]);

}  // namespace

DerivativeReads reads_of_derivative(Op op, size_t argument) {
  switch (op) {
#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(...)
#define EG_DERIVATIVE(name, by_x, by_y, by_z)                                                          \
  case Op::name: {                                                                                     \
    constexpr std::array<DerivativeReads, 3> reads{reads_of(#by_x), reads_of(#by_y), reads_of(#by_z)}; \
    return reads.at(argument);                                                                         \
  }
#include "ops.def"
#undef EG_DERIVATIVE
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
    default:
      return {};
  }
}

}  // namespace eglantine

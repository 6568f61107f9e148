#include "support/verb_table.hpp"

#include <algorithm>

#include "eglantine/ops.hpp"

namespace eglantine::test {

using Arguments = std::vector<Tensor>;

#define EG_ONE(name)                                                   \
  {                                                                    \
#name, 1, [](const Arguments& x) { return eglantine::name(x[0]); } \
  }
#define EG_TWO(name)                                                         \
  {                                                                          \
#name, 2, [](const Arguments& x) { return eglantine::name(x[0], x[1]); } \
  }
#define EG_THREE(name)                                                             \
  {                                                                                \
#name, 3, [](const Arguments& x) { return eglantine::name(x[0], x[1], x[2]); } \
  }

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table = {
      EG_ONE(neg),         EG_ONE(abs),         EG_ONE(sign),     EG_ONE(exp),        EG_ONE(exp2),
      EG_ONE(log),         EG_ONE(log2),        EG_ONE(log1p),    EG_ONE(expm1),      EG_ONE(sqrt),
      EG_ONE(rsqrt),       EG_ONE(reciprocal),  EG_ONE(square),   EG_ONE(sin),        EG_ONE(cos),
      EG_ONE(tan),         EG_ONE(tanh),        EG_ONE(sigmoid),  EG_ONE(relu),       EG_ONE(gelu),
      EG_ONE(silu),        EG_ONE(erf),         EG_ONE(floor),    EG_ONE(ceil),       EG_ONE(round),
      EG_ONE(trunc),       EG_ONE(isnan),       EG_ONE(isinf),    EG_ONE(isfinite),   EG_ONE(logical_not),
      EG_ONE(bit_not),     EG_ONE(signbit),     EG_ONE(exp10),    EG_ONE(log10),      EG_ONE(cbrt),
      EG_ONE(asin),        EG_ONE(acos),        EG_ONE(atan),     EG_ONE(sinh),       EG_ONE(cosh),
      EG_ONE(asinh),       EG_ONE(acosh),       EG_ONE(atanh),    EG_ONE(rad2deg),    EG_ONE(deg2rad),
      EG_ONE(erfc),        EG_ONE(erfinv),      EG_ONE(lgamma),   EG_ONE(digamma),    EG_ONE(softplus),
      EG_ONE(log_sigmoid), EG_ONE(gelu_tanh),   EG_ONE(selu),     EG_ONE(relu6),      EG_ONE(hardsigmoid),
      EG_ONE(hardswish),   EG_ONE(mish),        EG_ONE(softsign), EG_ONE(tanhshrink), EG_TWO(floor_divide),
      EG_TWO(fmod),        EG_TWO(fmax),        EG_TWO(fmin),     EG_TWO(hypot),      EG_TWO(copysign),
      EG_TWO(logaddexp),   EG_TWO(logaddexp2),  EG_TWO(xlogy),    EG_TWO(prelu),      EG_TWO(add),
      EG_TWO(sub),         EG_TWO(mul),         EG_TWO(div),      EG_TWO(pow),        EG_TWO(remainder),
      EG_TWO(maximum),     EG_TWO(minimum),     EG_TWO(atan2),    EG_TWO(eq),         EG_TWO(ne),
      EG_TWO(lt),          EG_TWO(le),          EG_TWO(gt),       EG_TWO(ge),         EG_TWO(logical_and),
      EG_TWO(logical_or),  EG_TWO(logical_xor), EG_TWO(bit_and),  EG_TWO(bit_or),     EG_TWO(bit_xor),
      EG_TWO(shift_left),  EG_TWO(shift_right), EG_THREE(where),  EG_THREE(clip),     EG_THREE(lerp)};
  return table;
}

const Verb* find_verb(const std::string& name) {
  const auto found = std::find_if(verbs().begin(), verbs().end(), [&](const Verb& verb) { return verb.name == name; });
  return found == verbs().end() ? nullptr : &*found;
}

}  // namespace eglantine::test

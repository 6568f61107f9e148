#include "eglantine/verbs/activations.hpp"
#include "eglantine/verbs/binary.hpp"
#include "eglantine/verbs/unary.hpp"
#include "peers/driver/verbs.hpp"

namespace eglantine::peers {

const VerbTable& elementwise_verbs() {
  static const VerbTable table = {
      EG_VERB(neg),        EG_VERB(abs),         EG_VERB(sign),         EG_VERB(exp),         EG_VERB(exp2),
      EG_VERB(log),        EG_VERB(log2),        EG_VERB(log1p),        EG_VERB(expm1),       EG_VERB(sqrt),
      EG_VERB(rsqrt),      EG_VERB(reciprocal),  EG_VERB(square),       EG_VERB(sin),         EG_VERB(cos),
      EG_VERB(tan),        EG_VERB(tanh),        EG_VERB(sigmoid),      EG_VERB(relu),        EG_VERB(gelu),
      EG_VERB(silu),       EG_VERB(erf),         EG_VERB(floor),        EG_VERB(ceil),        EG_VERB(round),
      EG_VERB(trunc),      EG_VERB(isnan),       EG_VERB(isinf),        EG_VERB(isfinite),    EG_VERB(logical_not),
      EG_VERB(bit_not),    EG_VERB(add),         EG_VERB(sub),          EG_VERB(mul),         EG_VERB(div),
      EG_VERB(pow),        EG_VERB(remainder),   EG_VERB(maximum),      EG_VERB(minimum),     EG_VERB(atan2),
      EG_VERB(eq),         EG_VERB(ne),          EG_VERB(lt),           EG_VERB(le),          EG_VERB(gt),
      EG_VERB(ge),         EG_VERB(isclose),     EG_VERB(allclose),     EG_VERB(array_equal), EG_VERB(logical_and),
      EG_VERB(logical_or), EG_VERB(logical_xor), EG_VERB(bit_and),      EG_VERB(bit_or),      EG_VERB(bit_xor),
      EG_VERB(shift_left), EG_VERB(shift_right), EG_VERB(where),        EG_VERB(clip),        EG_VERB(signbit),
      EG_VERB(exp10),      EG_VERB(log10),       EG_VERB(cbrt),         EG_VERB(asin),        EG_VERB(acos),
      EG_VERB(atan),       EG_VERB(sinh),        EG_VERB(cosh),         EG_VERB(asinh),       EG_VERB(acosh),
      EG_VERB(atanh),      EG_VERB(rad2deg),     EG_VERB(deg2rad),      EG_VERB(erfc),        EG_VERB(lgamma),
      EG_VERB(nan_to_num), EG_VERB(softplus),    EG_VERB(log_sigmoid),  EG_VERB(softsign),    EG_VERB(elu),
      EG_VERB(leaky_relu), EG_VERB(hardtanh),    EG_VERB(floor_divide), EG_VERB(fmod),        EG_VERB(fmax),
      EG_VERB(fmin),       EG_VERB(hypot),       EG_VERB(copysign),     EG_VERB(logaddexp),   EG_VERB(logaddexp2),
      EG_VERB(xlogy),      EG_VERB(lerp),        EG_VERB(gelu_tanh),    EG_VERB(selu),        EG_VERB(celu),
      EG_VERB(prelu),      EG_VERB(hardsigmoid), EG_VERB(hardswish),    EG_VERB(relu6),       EG_VERB(mish),
      EG_VERB(softshrink), EG_VERB(hardshrink),  EG_VERB(tanhshrink),   EG_VERB(threshold),   EG_VERB(erfinv),
      EG_VERB(digamma),
  };
  return table;
}

}  // namespace eglantine::peers

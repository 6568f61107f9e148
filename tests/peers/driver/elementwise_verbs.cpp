#include "eglantine/binary.hpp"
#include "eglantine/unary.hpp"
#include "peers/driver/verbs.hpp"

namespace eglantine::peers {

const VerbTable& elementwise_verbs() {
  static const VerbTable table = {
      EG_VERB(neg),        EG_VERB(abs),         EG_VERB(sign),     EG_VERB(exp),         EG_VERB(exp2),
      EG_VERB(log),        EG_VERB(log2),        EG_VERB(log1p),    EG_VERB(expm1),       EG_VERB(sqrt),
      EG_VERB(rsqrt),      EG_VERB(reciprocal),  EG_VERB(square),   EG_VERB(sin),         EG_VERB(cos),
      EG_VERB(tan),        EG_VERB(tanh),        EG_VERB(sigmoid),  EG_VERB(relu),        EG_VERB(gelu),
      EG_VERB(silu),       EG_VERB(erf),         EG_VERB(floor),    EG_VERB(ceil),        EG_VERB(round),
      EG_VERB(trunc),      EG_VERB(isnan),       EG_VERB(isinf),    EG_VERB(isfinite),    EG_VERB(logical_not),
      EG_VERB(bit_not),    EG_VERB(add),         EG_VERB(sub),      EG_VERB(mul),         EG_VERB(div),
      EG_VERB(pow),        EG_VERB(remainder),   EG_VERB(maximum),  EG_VERB(minimum),     EG_VERB(atan2),
      EG_VERB(eq),         EG_VERB(ne),          EG_VERB(lt),       EG_VERB(le),          EG_VERB(gt),
      EG_VERB(ge),         EG_VERB(isclose),     EG_VERB(allclose), EG_VERB(array_equal), EG_VERB(logical_and),
      EG_VERB(logical_or), EG_VERB(logical_xor), EG_VERB(bit_and),  EG_VERB(bit_or),      EG_VERB(bit_xor),
      EG_VERB(shift_left), EG_VERB(shift_right), EG_VERB(where),    EG_VERB(clip),
  };
  return table;
}

}  // namespace eglantine::peers

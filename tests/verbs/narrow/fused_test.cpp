#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/samples.hpp"
#include "support/verb_table.hpp"

/// Element-wise verbs of narrow types have the same bits in one kernel with what makes their argument, and with what
/// reads their result, as one after another: each result is rounded, or wraps, wherever it is.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Narrow, NarrowFusion);

void expect_same_bits(const Verb& verb, const OpRow& row, DType dtype) {
  SCOPED_TRACE(verb.name + " of " + std::string(name_of(dtype)));
  std::vector<Tensor> fused = upload_samples(row, dtype, samples_for(row, dtype)), apart = fused;
  fused.back() = fused.back() + fused.back();
  apart.back() = (apart.back() + apart.back()).eval();
  const Tensor y = verb.call(fused), z = verb.call(apart).eval();
  if (y.dtype() == DType::boolean) {
    EXPECT_TRUE(same_bits(logical_not(y), logical_not(z)));
  } else {
    EXPECT_TRUE(same_bits(y + y, z + z));
  }
}

EG_TEST(NarrowFusion, changes_no_bits) {
  Draw draw = draw_programs_one_of(24);
  for (const OpRow& row : elementwise_rows()) {
    const Verb* verb = find_verb(row.name);
    if (verb == nullptr) continue;
    for (const DType dtype : dtypes_of(row))
      if (is_narrow(dtype) && draw.next()) expect_same_bits(*verb, row, dtype);
  }
}

}  // namespace
}  // namespace eglantine::test

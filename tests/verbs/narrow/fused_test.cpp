#include <algorithm>

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

const OpRow* row_of(const Verb& verb) {
  const std::vector<OpRow>& rows = elementwise_rows();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const OpRow& row) { return row.name == verb.name; });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<Tensor> arguments_of(const OpRow& row, DType dtype) {
  std::vector<Tensor> arguments;
  for (const std::vector<double>& values : samples_for(row, dtype)) {
    Array argument{dtype, {static_cast<int64_t>(values.size())}, values};
    if (row.name == "where" && arguments.empty()) {
      argument.dtype = DType::boolean;
      for (double& value : argument.values) value = value > 0 ? 1 : 0;
    }
    arguments.push_back(upload(argument));
  }
  return arguments;
}

void expect_same_bits(const Verb& verb, const OpRow& row, DType dtype) {
  SCOPED_TRACE(verb.name + " of " + std::string(name_of(dtype)));
  std::vector<Tensor> fused = arguments_of(row, dtype), apart = fused;
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
  for (const Verb& verb : verbs()) {
    const OpRow* row = row_of(verb);
    if (row == nullptr) continue;
    for (const DType dtype : dtypes_of(*row))
      if (is_narrow(dtype) && draw.next()) expect_same_bits(verb, *row, dtype);
  }
}

}  // namespace
}  // namespace eglantine::test

#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_programs.hpp"

/// Random expressions over random views against the reference. A structure is drawn from its own seed, and each is
/// tried over several shapes, so that few GL programs are compiled.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Property, FloatExpressions);
EG_ON_EACH_DEVICE(Property, IntegerExpressions);
EG_ON_EACH_DEVICE(Property, BooleanExpressions);

constexpr uint64_t structures = 32;
constexpr uint64_t draws = 3;

void check_all(Value (*program)(uint64_t, uint64_t)) {
  Draw drawn = draw_programs_one_of(8);
  for (uint64_t structure = 0; structure < structures; ++structure) {
    if (!drawn.next()) continue;
    for (uint64_t draw = 0; draw < draws; ++draw) {
      SCOPED_TRACE(::testing::Message() << "structure " << structure << ", draw " << draw);
      const Value value = program(1000 + structure, 7777 * structure + draw);
      EXPECT_TRUE(within(value.tensor, value.array, value.error));
    }
  }
}

TEST_P(FloatExpressions, stay_within_their_error_bounds) { check_all(random_float_program); }

TEST_P(IntegerExpressions, are_exact) { check_all(random_integer_program); }

TEST_P(BooleanExpressions, are_exact) { check_all(random_boolean_program); }

}  // namespace
}  // namespace eglantine::test

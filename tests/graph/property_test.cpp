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

/// One structure in `share` where cases are drawn.
void check_all(Program program, size_t share = 8) {
  Draw drawn = draw_programs_one_of(share);
  for (uint64_t structure = 0; structure < structures; ++structure) {
    if (!drawn.next()) continue;
    for (uint64_t draw = 0; draw < draws; ++draw) {
      SCOPED_TRACE(::testing::Message() << "structure " << structure << ", draw " << draw);
      const Value value = program(1000 + structure, 7777 * structure + draw);
      EXPECT_TRUE(within(value.tensor, value.array, value.error));
    }
  }
}

EG_TEST(FloatExpressions, stay_within_their_error_bounds) { check_all(random_float_program); }

EG_TEST(FloatExpressions, of_f16_stay_within_theirs) { check_all(random_f16_program); }

EG_TEST(FloatExpressions, of_bf16_stay_within_theirs) { check_all(random_bf16_program); }

EG_TEST(FloatExpressions, of_products_and_rows_of_mixed_floats_stay_within_theirs) {
  check_all(random_mixed_floats_program, structures);
}

EG_TEST(IntegerExpressions, are_exact) { check_all(random_integer_program); }

EG_TEST(IntegerExpressions, of_i8_are_exact) { check_all(random_i8_program); }

EG_TEST(IntegerExpressions, of_u8_are_exact) { check_all(random_u8_program); }

EG_TEST(IntegerExpressions, of_products_of_mixed_integers_are_exact) {
  check_all(random_mixed_integers_program, structures);
}

EG_TEST(BooleanExpressions, are_exact) { check_all(random_boolean_program); }

}  // namespace
}  // namespace eglantine::test

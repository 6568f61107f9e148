#include "lower/reduce/program/nans_apart.hpp"

#include "codegen/combine_text.hpp"
#include "codegen/uniforms.hpp"
#include "graph/op/op_info.hpp"
#include "lower/reduce/program/accumulator_text.hpp"

namespace eglantine::lower {
namespace {

/// Of the four values of x; what there is in place of those past the end of a row.
std::string magnitude_functions(const std::string& identity) {
  return R"(uint eg_magnitude(vec4 x) {
  uvec4 bits = floatBitsToUint(x) & 0x7fffffffu;
  return max(max(bits.x, bits.y), max(bits.z, bits.w));
}
float eg_reported(float x, uint magnitude) { return magnitude > 0x7f800000u ? uintBitsToFloat(magnitude) : x; }
vec4 eg_masked(vec4 x, uint count) {
  float none = )" +
         identity + R"(;
  return vec4(x.x, count > 1u ? x.y : none, count > 2u ? x.z : none, count > 3u ? x.w : none);
}
)";
}

/// The same of what may have elements before the first of a row (row_eights); and the pairs, or values, of lanes that
/// exchange them, which report a NaN, a pair with its index.
std::string within_functions(Reduction reduction, DType dtype, const std::string& identity) {
  std::string text =
      "EG_ACCUMULATORS eg_within(EG_ACCUMULATORS a, uint e) {\n  bvec4 there = lessThan(uvec4(e) + "
      "uvec4(0u, 1u, 2u, 3u), uvec4(" +
      codegen::uniform_at(row_length_slot) + "));\n  return eg_elements(mix(vec4(" + identity +
      "), a.value, there), e);\n}\n";
  return text + (is_arg(reduction) ? pair_combination(dtype) : codegen::combine_functions(reduction, dtype, nullptr));
}

std::string apart_values(const std::string& name, const std::string& identity) {
  return R"(struct EgValues { vec4 value; uint magnitude; };
EgValues eg_identities() { return EgValues(vec4()" +
         identity + R"(), 0u); }
EgValues eg_elements(vec4 x, uint e) { return EgValues(x, eg_magnitude(x)); }
EgValues eg_mask(EgValues a, uint count) { return eg_elements(eg_masked(a.value, count), 0u); }
EgValues eg_follow4(EgValues a, EgValues b) {
  return EgValues()" +
         name + R"((a.value, b.value), max(a.magnitude, b.magnitude));
}
float eg_fold(EgValues a) {
  vec2 two = )" +
         name + "(a.value.xy, a.value.zw);\n  return eg_reported(" + name + "(two.x, two.y), a.magnitude);\n}\n";
}

/// Of four rows or columns side by side.
std::string apart_side_by_side(const std::string& name) {
  return R"(struct EgValues { vec4 value; uvec4 magnitude; };
EgValues eg_entry(vec4 x) { return EgValues(x, floatBitsToUint(x) & 0x7fffffffu); }
EgValues eg_combine4(EgValues a, EgValues b) {
  return EgValues()" +
         name + R"((a.value, b.value), max(a.magnitude, b.magnitude));
}
vec4 eg_reported(EgValues a) {
  return mix(a.value, uintBitsToFloat(a.magnitude), greaterThan(a.magnitude, uvec4(0x7f800000u)));
}
)";
}

/// A component's index begins as that of its first element, so that a row of nothing but identities has its first.
std::string apart_pairs(const std::string& better, const std::string& identity) {
  std::string text = R"(struct EgPair { float value; uint index; };
struct EgPairs { vec4 value; uvec4 index; uint magnitude; };
const uvec4 eg_places = uvec4(0u, 1u, 2u, 3u);
#define EG_BETTER(b, a) ()" +
                     better + R"()
EgPairs eg_identities() { return EgPairs(vec4()" +
                     identity + R"(), eg_places, 0u); }
EgPairs eg_elements(vec4 x, uint e) { return EgPairs(x, uvec4(e) + eg_places, eg_magnitude(x)); }
EgPairs eg_mask(EgPairs a, uint count) { return eg_elements(eg_masked(a.value, count), a.index.x); }
EgPair eg_first_of(EgPair a, EgPair b) {
  bool second = EG_BETTER(b.value, a.value) || (b.value == a.value && b.index < a.index);
  return EgPair(second ? b.value : a.value, second ? b.index : a.index);
}
EgPair eg_fold(EgPairs a) {
  EgPair low = eg_first_of(EgPair(a.value.x, a.index.x), EgPair(a.value.y, a.index.y));
  EgPair first = eg_first_of(low, eg_first_of(EgPair(a.value.z, a.index.z), EgPair(a.value.w, a.index.w)));
  return EgPair(eg_reported(first.value, a.magnitude), first.index);
}
uint eg_first_nan(vec4 x, uint e) {
  uint first = eg_isnan(x.w) ? e + 3u : 0xffffffffu;
  first = eg_isnan(x.z) ? e + 2u : first;
  first = eg_isnan(x.y) ? e + 1u : first;
  return eg_isnan(x.x) ? e : first;
}
EgPairs eg_follow4(EgPairs a, EgPairs b) {
  bool s;
)";
  for (const std::string c : {".x", ".y", ".z", ".w"})
    text += "  s = EG_BETTER(b.value" + c + ", a.value" + c + ");\n  a.value" + c + " = s ? b.value" + c +
            " : a.value" + c + ";\n  a.index" + c + " = s ? b.index" + c + " : a.index" + c + ";\n";
  return text + "  a.magnitude = max(a.magnitude, b.magnitude);\n  return a;\n}\n";
}

}  // namespace

bool has_nans_apart(ReducePattern pattern, const Combined& combined) {
  const bool is_extreme = combined.reduction == Reduction::max || combined.reduction == Reduction::min;
  const bool is_each = (pattern == ReducePattern::row_each || pattern == ReducePattern::row_eights) &&
                       (is_extreme || is_arg(combined.reduction));
  return combined.dtype == DType::f32 && (is_each || (loads_all_at_once(pattern) && is_extreme));
}

bool looks_for_nans_apart(ReducePattern pattern, const Combined& combined) {
  return pattern == ReducePattern::column_any_order && is_arg(combined.reduction) && combined.dtype == DType::f32;
}

std::string nans_apart_defines(Reduction reduction) {
  return is_arg(reduction) ? "#define EG_ACCUMULATOR EgPair\n#define EG_ACCUMULATORS EgPairs\n#define EG_NANS_APART\n"
                           : "#define EG_ACCUMULATOR float\n#define EG_ACCUMULATORS EgValues\n";
}

std::string nans_apart_functions(ReducePattern pattern, const Combined& combined) {
  const auto [reduction, dtype] = combined;
  if (loads_all_at_once(pattern)) return apart_side_by_side(std::string(name_of(reduction)));
  const std::string identity = codegen::identity_text(reduction, dtype), text = magnitude_functions(identity);
  return text +
         (is_arg(reduction) ? apart_pairs(std::string(info_of(reduction).glsl), identity)
                            : apart_values(std::string(name_of(reduction)), identity)) +
         (pattern == ReducePattern::row_eights ? within_functions(reduction, dtype, identity) : "");
}

}  // namespace eglantine::lower

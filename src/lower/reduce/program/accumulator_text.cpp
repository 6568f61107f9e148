#include "lower/reduce/program/accumulator_text.hpp"

#include <algorithm>

#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/uniforms.hpp"

namespace eglantine::lower {
namespace {

using namespace codegen;

std::string type_of(DType dtype, int width = 1) { return std::string(value_type(dtype, width)); }

/// A function of scalars, for all four components.
std::string by_component(const std::string& type, const std::string& function) {
  std::string text = type + "(";
  for (const char* c : {".x", ".y", ".z", ".w"}) {
    text += (c[1] == 'x' ? "" : ", ") + function + "(a" + c + ", b" + c + ")";
  }
  return text + ")";
}

/// Values without indices.
std::string value_functions(Reduction reduction, DType dtype, const ReduceOpPtr& custom) {
  const std::string four = type_of(dtype, 4);
  std::string text = combine_functions(reduction, dtype, custom);
  text += four + " eg_identities() { return " + four + "(eg_identity()); }\n";
  text += four + " eg_combine4(" + four + " a, " + four + " b) { return " + by_component(four, "eg_combine") + "; }\n";
  text += four + " eg_follow4(" + four + " a, " + four + " b) { return eg_combine4(a, b); }\n";
  text += four + " eg_mask(" + four + " a, uint count) {\n  return " + four +
          "(a.x, count > 1u ? a.y : eg_identity(), count > 2u ? a.z : eg_identity(), count > 3u ? a.w : "
          "eg_identity());\n}\n";
  return text;
}

/// Pairs of a value and its index: the better value wins, NaN beats all numbers, and the lower index wins a tie. The
/// identity has the largest index.
std::string pair_functions(Reduction reduction, DType dtype) {
  const std::string one = type_of(dtype), four = type_of(dtype, 4);
  std::string text =
      "struct EgPair { " + one + " value; uint index; };\nstruct EgPairs { " + four + " value; uvec4 index; };\n";
  text += "EgPair eg_identity() { return EgPair(" + identity_text(reduction, dtype) + ", 0xffffffffu); }\n";
  text += "EgPairs eg_identities() { return EgPairs(" + four + "(eg_identity().value), uvec4(0xffffffffu)); }\n";
  // A macro: rows of argmax take 8 % longer on NVIDIA with a function.
  text += "#define EG_BETTER(b, a) (" + std::string(info_of(reduction).glsl) + ")\n";
  text += pair_combination(dtype);
  text += "EgPairs eg_combine4(EgPairs a, EgPairs b) {\n  bool s;\n";
  for (const char* c : {".x", ".y", ".z", ".w"}) {
    const std::string v = std::string(".value") + c, i = std::string(".index") + c;
    text += "  s = eg_beats(b" + v + ", b" + i + ", a" + v + ", a" + i + ");\n  a" + v + " = s ? b" + v + " : a" + v +
            ";\n  a" + i + " = s ? b" + i + " : a" + i + ";\n";
  }
  text += "  return a;\n}\n";
  // For elements in order ties need no look at the index, but the first element must replace the identity.
  text += "EgPairs eg_follow4(EgPairs a, EgPairs b) {\n  bool s;\n";
  for (const char* c : {".x", ".y", ".z", ".w"}) {
    const std::string v = std::string(".value") + c, i = std::string(".index") + c;
    text += "  s = a" + i + " == 0xffffffffu || EG_BETTER(b" + v + ", a" + v + ") || (eg_isnan(b" + v +
            ") && !eg_isnan(a" + v + "));\n  a" + v + " = s ? b" + v + " : a" + v + ";\n  a" + i + " = s ? b" + i +
            " : a" + i + ";\n";
  }
  text += "  return a;\n}\n";
  text += std::string("EgPairs eg_mask(EgPairs a, uint count) {\n  EgPairs n = eg_identities();\n") +
          "  bvec4 there = lessThan(uvec4(0u, 1u, 2u, 3u), uvec4(count));\n" + "  a.value = " + four +
          "(a.value.x, there.y ? a.value.y : n.value.y, there.z ? a.value.z : n.value.z, " +
          "there.w ? a.value.w : n.value.w);\n" +
          "  a.index = uvec4(a.index.x, there.y ? a.index.y : n.index.y, there.z ? a.index.z : n.index.z, " +
          "there.w ? a.index.w : n.index.w);\n  return a;\n}\n";
  return text;
}

std::string fold_tree(int first, int count) {
  if (count == 1) return "F(" + std::to_string(first) + ", eg_a" + std::to_string(first) + ")";
  return "eg_combine4(" + fold_tree(first, count / 2) + ", " + fold_tree(first + count / 2, count / 2) + ")";
}

}  // namespace

std::string pair_combination(DType dtype) {
  const std::string one = type_of(dtype);
  return "bool eg_beats(" + one + " b, uint j, " + one + " a, uint i) {\n" +
         "  bool a_nan = eg_isnan(a), b_nan = eg_isnan(b);\n" +
         "  bool tie = a_nan || b_nan ? a_nan && b_nan : a == b;\n" +
         "  return tie ? j < i : b_nan || (!a_nan && EG_BETTER(b, a));\n}\n" +
         "EgPair eg_combine(EgPair a, EgPair b) {\n" +
         "  bool second = eg_beats(b.value, b.index, a.value, a.index);\n" +
         "  return EgPair(second ? b.value : a.value, second ? b.index : a.index);\n}\n";
}

std::string accumulator_defines(Reduction reduction, DType dtype) {
  const bool pair = is_arg(reduction);
  dtype = combined_as(dtype);
  return "#define EG_ACCUMULATOR " + (pair ? "EgPair" : type_of(dtype)) + "\n#define EG_ACCUMULATORS " +
         (pair ? "EgPairs" : type_of(dtype, 4)) + "\n";
}

std::string subgroup_macros(int64_t items, int64_t vectors, int64_t lanes) {
  std::string each = "#define EG_EACH_ITEM(F)", loads = "#define EG_EACH_LOAD(F)";
  for (int64_t i = 0; i < items; ++i) {
    const std::string item = std::to_string(i);
    each += " F(eg_r" + item + ", eg_even" + item + ", eg_odd" + item + ")";
    for (int64_t k = 0; k < vectors; ++k) {
      const std::string vector = std::to_string(k);
      loads += " F(" + item + ", " + vector + ", eg_x" + item + "_" + vector;
      loads += (k % lanes == 0 ? ", eg_even" : ", eg_odd") + item + ")";
    }
  }
  return each + "\n" + loads + "\n";
}

std::string shuffle_define(Reduction reduction) {
  const std::string pair = "EgPair(subgroupShuffleXor((a).value, apart), subgroupShuffleXor((a).index, apart))";
  return "#define EG_SHUFFLED(a, apart) " + (is_arg(reduction) ? pair : "subgroupShuffleXor(a, apart)") + "\n" +
         "#define EG_SHUFFLED_BY(a, by) subgroupShuffleXor(a, by)\n";
}

std::string accumulator_macros(int count) {
  std::string text = "#define EG_EACH_ACCUMULATOR(F)";
  for (int j = 0; j < count; ++j) text += " F(" + std::to_string(j) + ", eg_a" + std::to_string(j) + ")";
  return text + "\n#define EG_FOLD(F) " + fold_tree(0, count) + "\n#define EG_ACCUMULATOR_COUNT " +
         std::to_string(count) + "\n";
}

std::string row_macros(int64_t count) {
  std::string each = "#define EG_EACH_ROW(F)", loaded = "#define EG_LOADED";
  for (int64_t j = 0; j < count; ++j) {
    const std::string number = std::to_string(j);
    each += " F(" + number + ", eg_a" + number + ", eg_x" + number + ")";
    loaded += (j > 0 ? ", eg_x" : " eg_x") + number;
  }
  return each + "\n" + loaded + "\n#define EG_TOGETHER " + std::to_string(count) + "\n";
}

std::string columns_text(int64_t count) {
  std::string declared, values;
  for (int64_t j = 0; j < 4; ++j) {
    const std::string separator = j > 0 ? ", " : "", x = "x" + std::to_string(std::min(j, count - 1));
    if (j < count) declared += separator + x;
    values += separator + x;
  }
  return "EG_ACCUMULATORS eg_elements(uint r) {\n  EG_ACCUMULATOR " + declared + ";\n  eg_load(r, " + declared +
         ");\n  return EG_ACCUMULATORS(" + values + ");\n}\n";
}

std::string accumulator_functions(Reduction reduction, DType dtype, const ReduceOpPtr& custom) {
  if (!is_arg(reduction)) {
    return value_functions(reduction, combined_as(dtype), custom) + "EG_ACCUMULATOR eg_fold(EG_ACCUMULATORS a) {\n" +
           "  return eg_combine(eg_combine(a.x, a.y), eg_combine(a.z, a.w));\n}\n";
  }
  return pair_functions(reduction, dtype) + "EgPair eg_fold(EgPairs a) {\n" +
         "  EgPair low = eg_combine(EgPair(a.value.x, a.index.x), EgPair(a.value.y, a.index.y));\n" +
         "  return eg_combine(low, eg_combine(EgPair(a.value.z, a.index.z), EgPair(a.value.w, a.index.w)));\n}\n";
}

std::string accumulator_from(Reduction reduction, const std::string& values, const std::string& indices) {
  if (is_arg(reduction)) return "EgPairs(" + values + ", " + indices + ")";
  return is_logical(reduction) ? "EG_ACCUMULATORS(" + values + ")" : values;
}

std::string accumulator_of(Reduction reduction, int width, const std::string& accumulator) {
  if (is_arg(reduction)) return (width == 1 ? "int(" : "ivec4(") + accumulator + ".index)";
  return is_logical(reduction) ? from_stored(DType::u32, DType::boolean, width, accumulator) : accumulator;
}

std::string component_of(Reduction reduction, const std::string& accumulators, char component) {
  const std::string value = std::string(".value.") + component, index = std::string(".index.") + component;
  if (is_arg(reduction)) return "EgPair(" + accumulators + value + ", " + accumulators + index + ")";
  return accumulators + "." + component;
}

std::string partial_function(Reduction reduction, DType dtype, const std::string& block, int base_slot) {
  const std::string base = uniform_at(base_slot);
  std::string text = "void eg_store_partial(uint place, EG_ACCUMULATOR a) {\n";
  if (is_arg(reduction)) {
    text += "  " + block + "[" + base + " + place * 2u] = " + to_bits(dtype, "a.value") + ";\n";
    text += "  " + block + "[" + base + " + place * 2u + 1u] = a.index;\n";
  } else {
    text += "  " + block + "[" + base + " + place] = a;\n";
  }
  return text + "}\n";
}

}  // namespace eglantine::lower

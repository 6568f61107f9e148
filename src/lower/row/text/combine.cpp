#include <algorithm>
#include <set>

#include "codegen/combine_text.hpp"
#include "codegen/source.hpp"
#include "graph/op/op_info.hpp"
#include "lower/row/text/text.hpp"
#include "lower/row/text/writer.hpp"

/// What stands before the functions of a row: how two values are combined, and the template's functions over lanes.
namespace eglantine::lower {

using What = RowStep::What;

namespace {

/// The combination of two values, of vectors, and of a vector's components where they are of one row.
std::string join_functions(const RowStep& fold, bool strided) {
  const std::string name = join_of(fold);
  const std::string value =
      fold.may_drop_nan ? std::string(name_of(fold.reduction)) + "(a, b)" : std::string(info_of(fold.reduction).glsl);
  const auto each = [&](const std::string& c) { return name + "(a." + c + ", b." + c + ")"; };
  std::string text = "float " + name + "(float a, float b) { return " + value + "; }\nvec4 " + name +
                     "(vec4 a, vec4 b) { return vec4(" + each("x") + ", " + each("y") + ", " + each("z") + ", " +
                     each("w") + "); }\n";
  const std::string joined = strided ? "a" : name + "(" + name + "(a.x, a.y), " + name + "(a.z, a.w))";
  return text + "EG_ROW " + name + "_gathered(vec4 a) { return " + joined + "; }\n";
}

}  // namespace

std::string join_of(const RowStep& fold) {
  return "eg_join_" + std::string(name_of(fold.reduction)) + (fold.may_drop_nan ? "_near" : "");
}

std::string identity_of(const RowStep& fold) { return codegen::identity_text(fold.reduction, DType::f32); }

std::string RowWriter::prototypes() const {
  std::string text = "uint eg_lane, eg_place;\nvec4 eg_within(uint step, vec4 v, float other);\nvoid eg_separate();\n";
  if (!plan_.staged)
    text += plan_.register_resident ? "uint eg_step(uint vector);\n" : "uint eg_step(uint round, uint vector);\n";
  if (plan_.last_elements < vector_width)
    for (const std::string vector : {"vec4", "ivec4", "uvec4", "bvec4"})
      text += vector + " eg_had(uint vector, " + vector + " v);\n";
  std::set<std::string> joins;
  if (std::any_of(chain_.steps.begin(), chain_.steps.end(), [&](const RowStep& x) { return is_joined(x); }))
    text += rebasing_functions();
  const auto add = [&](const RowStep& fold) {
    if (joins.insert(join_of(fold)).second) text += join_functions(fold, plan_.strided);
  };
  for (const RowStep& each : chain_.steps) {
    if (each.what != What::fold) continue;
    add(each);
    if (must_hold_nans(each)) add(dropping_nans(each));
  }
  text +=
      "vec4 eg_reported(vec4 v, uvec4 bits) {\n  return mix(v, vec4(uintBitsToFloat(0x7fc00000u)), "
      "greaterThan(bits, uvec4(0x7f800000u)));\n}\n";
  for (const FoldPair& each : fold_pairs_of(plan_, chain_))
    text += each.other != nullptr ? "void " + each.name() + "(inout EG_ROW a, inout EG_ROW b);\n"
                                  : "EG_ROW " + each.name() + "(EG_ROW v);\n";
  return text;
}

std::string row_defines(const RowPlan& plan, const RowChain& chain) {
  std::string text;
  int count = 0;
  for (const FoldPair& each : fold_pairs_of(plan, chain))
    text += (each.other != nullptr ? "EG_FOLD_PAIR(" : "EG_FOLD(") + each.name() + ", " + join_of(*each.fold) +
            (each.other != nullptr ? ", " + join_of(*each.other) : "") + ", " + std::to_string(count++ % 2) + ") ";
  return codegen::define("EG_FOLDS", text);
}

}  // namespace eglantine::lower

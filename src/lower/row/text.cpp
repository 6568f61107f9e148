#include "lower/row/text.hpp"

#include <algorithm>
#include <set>

#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "codegen/value_text.hpp"
#include "graph/op_info.hpp"

namespace eglantine::lower {

std::string name_of_step(size_t i) { return "eg_s" + std::to_string(i); }
std::string name_of_store(size_t i) { return "eg_o" + std::to_string(i); }

namespace {

using What = RowStep::What;

std::string join_of(const RowStep& fold) {
  return "eg_join_" + std::string(name_of(fold.reduction)) + (fold.may_drop_nan ? "_near" : "");
}

std::string identity_of(const RowStep& fold) { return codegen::identity_text(fold.reduction, DType::f32); }

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

/// eg_rescale: sums of exponentials relative to one maximum become relative to another, after Milakov and Gimelshein,
/// "Online normalizer calculation for softmax" (2018). eg_moved: a sum of squares around the mean of `count` elements,
/// which add up to `sum`, becomes one around `center`: Chan, Golub and LeVeque, "Algorithms for computing the sample
/// variance" (1983).
constexpr const char* rebasing =
    R"(float eg_finite(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u ? 0.0 : x; }
vec4 eg_finite(vec4 x) { return vec4(eg_finite(x.x), eg_finite(x.y), eg_finite(x.z), eg_finite(x.w)); }
float eg_rescale(float from, float to) { return from == to ? 1.0 : eg_exp(from - to); }
vec4 eg_rescale(vec4 from, vec4 to) {
  return vec4(eg_rescale(from.x, to.x), eg_rescale(from.y, to.y), eg_rescale(from.z, to.z), eg_rescale(from.w, to.w));
}
EG_ROW eg_moved(EG_ROW squares, EG_ROW sum, float count, EG_ROW center) {
  EG_ROW apart = sum / max(count, 1.0) - center;
  return squares + count * apart * apart;
}
#ifdef EG_STRIDED
float eg_count(uint step) { return step < EG_LENGTH ? 1.0 : 0.0; }
#else
float eg_count(uint step) { return float(clamp(int(EG_LENGTH) - int(step * 4u), 0, 4)); }
#endif
)";

/// Writes the functions of one plan. Names: k<n> a kept value of each step, r<n> a value of the row, s<n> a lane's
/// share of the fold that gives value n.
class Writer {
 public:
  Writer(const RowPlan& plan, const RowChain& chain) : plan_(plan), chain_(chain) {}

  std::string text() {
    std::string text = prototypes();
    if (!plan_.register_resident) return text + make("") + take_alone("");
    return text + read() + make(parameters("")) + (plan_.prefetch ? take_ahead() : take_alone(declarations("")));
  }

 private:
  const RowStep& step(size_t i) const { return chain_.steps[i]; }
  std::string type_of(int value) const {
    const RowChain::Value& x = chain_.values[static_cast<size_t>(value)];
    return std::string(codegen::value_type(x.dtype, x.of_row && !plan_.strided ? 1 : 4));
  }
  static std::string row_value(int n) { return "r" + std::to_string(n); }
  static std::string kept(int n) { return "k" + std::to_string(n); }
  static std::string share(int n) { return "s" + std::to_string(n); }

  bool is_joined(const RowStep& x) const { return x.joins != RowStep::Joins::none; }
  /// The fold that is combined together with this one; or null.
  const RowStep* partner_of(const RowStep& x, size_t* number = nullptr) const {
    for (size_t i = 0; i < chain_.steps.size(); ++i) {
      if (x.what != What::fold || !is_joined(step(i)) || step(i).base != x.value) continue;
      if (number != nullptr) *number = i;
      return &step(i);
    }
    return nullptr;
  }
  /// A value that only one round of the walk keeps.
  bool is_of_round(int value) const {
    return std::any_of(chain_.steps.begin(), chain_.steps.end(),
                       [&](const RowStep& x) { return is_joined(x) && x.of_elements == value; });
  }

  std::string prototypes() const {
    std::string text =
        "uint eg_lane, eg_place;\nvec4 eg_within(uint step, vec4 v, float other);\nvoid eg_separate();\n";
    text += plan_.register_resident ? "uint eg_step(uint vector);\n" : "uint eg_step(uint round, uint vector);\n";
    std::set<std::string> joins;
    int folds = 0;
    if (std::any_of(chain_.steps.begin(), chain_.steps.end(), [&](const RowStep& x) { return is_joined(x); }))
      text += rebasing;
    for (const RowStep& each : chain_.steps) {
      if (each.what != What::fold) continue;
      if (joins.insert(join_of(each)).second) text += join_functions(each, plan_.strided);
      text += "EG_ROW eg_fold" + std::to_string(folds++) + "(EG_ROW v);\n";
    }
    return text;
  }

  /// What is read of a row before anything is computed of it.
  bool is_read(const RowStep& x) const {
    if (!plan_.register_resident || x.pass > 0) return false;
    return x.what == What::row_value || (x.what == What::keep && x.expr.code.size() == 1);
  }

  template <class Visit>
  void for_each_read(Visit visit) const {
    for (size_t i = 0; i < chain_.steps.size(); ++i)
      if (is_read(step(i))) visit(i);
  }

  /// ", vec4 k0[EG_VECTORS], float r1", of values read; direction: "out " or nothing.
  std::string parameters(const std::string& direction) const {
    std::string text;
    for_each_read([&](size_t i) {
      const int n = step(i).value;
      text += ", " + direction + type_of(n) + " " + (step(i).of_row ? row_value(n) : kept(n) + "[EG_VECTORS]");
    });
    return text;
  }
  std::string arguments(const std::string& prefix) const {
    std::string text;
    for_each_read(
        [&](size_t i) { text += ", " + prefix + (step(i).of_row ? row_value(step(i).value) : kept(step(i).value)); });
    return text;
  }
  std::string declarations(const std::string& prefix) const {
    std::string text;
    for_each_read([&](size_t i) {
      const int n = step(i).value;
      text += "  " + type_of(n) + " " + prefix + (step(i).of_row ? row_value(n) : kept(n) + "[EG_VECTORS]") + ";\n";
    });
    return text;
  }

  std::string call(size_t i, const std::string& index) const {
    std::string text = name_of_step(i) + "(" + index;
    for (const Instruction& used : codegen::accumulators_of(step(i).expr)) {
      const int n = used.args[0];
      text += ", " + (chain_.values[static_cast<size_t>(n)].of_row ? row_value(n) : kept(n) + "[u]");
    }
    return text + ")";
  }

  std::string addresses(bool of_read) const {
    std::string text;
    for (size_t i = 0; i < chain_.steps.size(); ++i) {
      if (step(i).of_row || is_read(step(i)) != of_read) continue;
      text += "  " + name_of_step(i) + "_address(at);\n";
      if (step(i).what == What::store) text += "  " + name_of_store(i) + "_address(at);\n";
    }
    return text;
  }

  std::string step_number() const { return plan_.register_resident ? "eg_step(u)" : "eg_step(round, u)"; }
  std::string open_loop() const {
    return "  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {\n    uint step = " +
           (plan_.whole ? step_number() : "min(" + step_number() + ", EG_STEPS - 1u)") + ";\n";
  }

  std::string read() const {
    std::string rows, loads;
    for_each_read([&](size_t i) {
      const std::string n = step(i).of_row ? row_value(step(i).value) : kept(step(i).value);
      if (step(i).of_row)
        rows += "  " + n + " = " + call(i, "at") + ";\n";
      else
        loads += open_loop() + "    " + n + "[u] = " + call(i, "step") + ";\n  }\n";
    });
    return "void eg_read(uint item" + parameters("out ") + ") {\n  uint at = min(item, EG_ITEMS - 1u);\n" +
           addresses(true) + rows + loads + "}\n";
  }

  std::string make(const std::string& read) {
    std::string text =
        "void eg_make(uint item, bool mine" + read + ") {\n  uint at = min(item, EG_ITEMS - 1u);\n" + addresses(false);
    folds_ = 0;
    for (int pass = 0; pass < chain_.passes; ++pass) text += rows_of(pass) + elements_of(pass) + folds_of(pass);
    // Where folds alternate, the next item's first one would use the memory that the last one still reads.
    return text + (folds_ % 2 == 1 ? "  eg_separate();\n" : "") + "}\n";
  }

  std::string rows_of(int pass) const {
    std::string text;
    for (size_t i = 0; i < chain_.steps.size(); ++i) {
      if (step(i).pass != pass || !step(i).of_row || is_read(step(i))) continue;
      if (step(i).what == What::row_value)
        text += "  " + type_of(step(i).value) + " " + row_value(step(i).value) + " = " + call(i, "at") + ";\n";
      else if (step(i).what == What::store)
        text += "  if (mine && eg_lane == 0u) " + name_of_store(i) + "(item, " + call(i, "item") + ");\n";
    }
    return text;
  }

  template <class Visit>
  void for_each_of_elements(int pass, Visit visit) const {
    for (size_t i = 0; i < chain_.steps.size(); ++i)
      if (step(i).pass == pass && !step(i).of_row && !is_read(step(i)) && !is_joined(step(i))) visit(i);
  }

  /// One round of a fold and its partner: the fold of the round's elements, the partner's sum relative to that, and
  /// both together with those of earlier rounds.
  std::string joined_round(size_t i) const {
    size_t other = 0;
    const RowStep& partner = *partner_of(step(i), &other);
    const std::string n = std::to_string(step(i).value), m = std::to_string(partner.value);
    const std::string t = row_value(partner.relative_to), within = "eg_within(" + step_number() + ", ";
    const bool squares = partner.joins == RowStep::Joins::squares;
    std::string text = "    vec4 t" + n + " = vec4(" + identity_of(step(i)) + "), t" + m + " = vec4(0.0);\n    " +
                       "float count = 0.0;\n" + open_loop() + "    t" + n + " = " + join_of(step(i)) + "(t" + n + ", " +
                       within + call(i, "step") + ", " + identity_of(step(i)) + "));\n    count += eg_count(" +
                       step_number() + ");\n  }\n";
    text += "    EG_ROW part = " + join_of(step(i)) + "_gathered(t" + n + "), " + t + " = " +
            (squares ? "part / max(count, 1.0)" : "eg_finite(part)") + ";\n" + open_loop() + "    t" + m +
            " += " + within + call(other, "step") + ", 0.0);\n  }\n    EG_ROW own = " +
            (plan_.strided ? "t" + m : "(t" + m + ".x + t" + m + ".y) + (t" + m + ".z + t" + m + ".w)") + ";\n";
    const std::string both = join_of(step(i)) + "(" + share(step(i).value) + ", part)";
    if (squares)
      return text + "    EG_ROW joint = (" + share(step(i).value) + " + part) / max(c" + m + " + count, 1.0);\n    " +
             share(partner.value) + " = eg_moved(" + share(partner.value) + ", " + share(step(i).value) + ", c" + m +
             ", joint) + eg_moved(own, part, count, joint);\n    " + share(step(i).value) + " += part;\n    c" + m +
             " += count;\n";
    return text + "    EG_ROW joint = " + both + ";\n    " + share(partner.value) + " = " + share(partner.value) +
           " * eg_rescale(" + share(step(i).value) + ", joint) + own * eg_rescale(part, joint);\n    " +
           share(step(i).value) + " = joint;\n";
  }

  /// What a fold and its partner have before the first round.
  std::string joined_start(size_t i) const {
    const RowStep& partner = *partner_of(step(i));
    return "  EG_ROW " + share(step(i).value) + " = EG_ROW(" + identity_of(step(i)) + "), " + share(partner.value) +
           " = EG_ROW(0.0);\n  float c" + std::to_string(partner.value) + " = 0.0;\n";
  }

  /// The walk over the row.
  std::string elements_of(int pass) const {
    std::string before, kept_in_round, body, after;
    const bool rounds = !plan_.register_resident;
    for_each_of_elements(pass, [&](size_t i) {
      const int n = step(i).value;
      if (step(i).what == What::keep && is_of_round(step(i).value)) {
        kept_in_round += "    " + type_of(n) + " " + kept(n) + "[EG_VECTORS];\n" + open_loop() + "    " + kept(n) +
                         "[u] = " + call(i, "step") + ";\n  }\n";
      } else if (partner_of(step(i)) != nullptr) {
        before += joined_start(i);
        after += "  {\n" + joined_round(i) + "  }\n";
      } else if (step(i).what == What::keep) {
        before += "  " + type_of(n) + " " + kept(n) + "[EG_VECTORS];\n";
        body += "    " + kept(n) + "[u] = " + call(i, "step") + ";\n";
      } else if (step(i).what == What::fold) {
        const std::string identity = "vec4(" + identity_of(step(i)) + ")",
                          sum = rounds ? "t" + std::to_string(n) : share(n);
        before += "  vec4 " + share(n) + " = " + identity + ";\n";
        body += "    " + sum + " = " + join_of(step(i)) + "(" + sum + ", eg_within(" + step_number() + ", " +
                call(i, "step") + ", " + identity_of(step(i)) + "));\n";
        if (rounds) after += "  " + share(n) + " = " + join_of(step(i)) + "(" + share(n) + ", " + sum + ");\n";
      } else {
        const std::string inside = plan_.whole ? "" : " && " + step_number() + " < EG_STEPS";
        body += "    if (mine" + inside + ") " + name_of_store(i) + "(step, " + call(i, "step") + ");\n";
      }
    });
    if (body.empty() && after.empty()) return before;
    if (!rounds) return before + open_loop() + body + "  }\n";
    // Sums of rounds are added up: fewer additions stand one behind the other.
    std::string start;
    for_each_of_elements(pass, [&](size_t i) {
      if (step(i).what == What::fold && partner_of(step(i)) == nullptr)
        start += "  vec4 t" + std::to_string(step(i).value) + " = vec4(" + identity_of(step(i)) + ");\n";
    });
    if (!body.empty()) body = open_loop() + body + "  }\n";
    return before + "  for (uint round = 0u; round < EG_STEPS; round += EG_ROUND) {\n" + kept_in_round + start + body +
           after + "  }\n";
  }

  std::string folds_of(int pass) {
    std::string text;
    for (size_t i = 0; i < chain_.steps.size(); ++i) {
      if (step(i).pass != pass || step(i).what != What::fold) continue;
      const int n = step(i).value;
      if (is_joined(step(i))) {
        text += finish(step(i));
        continue;
      }
      if (const RowStep* partner = partner_of(step(i))) {
        text += fold_joined(step(i), *partner);
        continue;
      }
      text += "  EG_ROW " + row_value(n) + " = eg_fold" + std::to_string(folds_++) + "(" + join_of(step(i)) +
              "_gathered(" + share(n) + "));\n";
    }
    return text;
  }

  /// Over the lanes: the fold, and its partner's sum relative to that.
  std::string fold_joined(const RowStep& fold, const RowStep& partner) {
    const std::string m = share(partner.value), own = share(fold.value), n = row_value(fold.value);
    const std::string count = "c" + std::to_string(partner.value);
    const bool squares = partner.joins == RowStep::Joins::squares;
    std::string text = "  EG_ROW " + n + " = eg_fold" + std::to_string(folds_++) + "(" + own + ");\n";
    const std::string moved = squares ? "eg_moved(" + m + ", " + own + ", " + count + ", " + n + " / float(EG_LENGTH))"
                                      : m + " * eg_rescale(" + own + ", " + n + ")";
    return text + "  " + m + " = eg_fold" + std::to_string(folds_++) + "(" + moved + ");\n";
  }

  /// A joined sum, relative to what the expression says.
  std::string finish(const RowStep& partner) const {
    const std::string m = share(partner.value), base = row_value(partner.base), t = row_value(partner.relative_to);
    const std::string value = partner.joins == RowStep::Joins::squares
                                  ? "eg_moved(" + m + ", " + base + ", float(EG_LENGTH), " + t + ")"
                                  : m + " * eg_rescale(eg_finite(" + base + "), " + t + ")";
    return "  EG_ROW " + row_value(partner.value) + " = " + value + ";\n";
  }

  std::string take_alone(const std::string& declared) const {
    std::string text = "void eg_take(uint start, uint end) {\n" + declared +
                       "  for (uint item = start; item < end; item += EG_ITEMS_AT_ONCE) {\n";
    if (plan_.register_resident) text += "    eg_read(item + eg_place" + arguments("") + ");\n";
    return text + "    eg_make(item + eg_place, item + eg_place < end" +
           (plan_.register_resident ? arguments("") : "") + ");\n  }\n}\n";
  }

  /// The next row is loaded before the folds of this one; past the end the same row again: no other memory is touched.
  std::string take_ahead() const {
    std::string moves;
    for_each_read([&](size_t i) {
      const int n = step(i).value;
      moves += step(i).of_row
                   ? "    " + row_value(n) + " = next_" + row_value(n) + ";\n"
                   : "    for (uint u = 0u; u < uint(EG_VECTORS); ++u) " + kept(n) + "[u] = next_" + kept(n) + "[u];\n";
    });
    return "void eg_take(uint start, uint end) {\n" + declarations("") + "  eg_read(start + eg_place" + arguments("") +
           ");\n  for (uint item = start; item < end; item += EG_ITEMS_AT_ONCE) {\n" + declarations("next_") +
           "    eg_read(item + EG_ITEMS_AT_ONCE < end ? item + EG_ITEMS_AT_ONCE + eg_place : item + eg_place" +
           arguments("next_") + ");\n    eg_make(item + eg_place, item + eg_place < end" + arguments("") + ");\n" +
           moves + "  }\n}\n";
  }

  const RowPlan& plan_;
  const RowChain& chain_;
  int folds_ = 0;
};

}  // namespace

std::string row_functions(const RowPlan& plan, const RowChain& chain) { return Writer(plan, chain).text(); }

std::string row_defines(const RowChain& chain) {
  std::string folds;
  int count = 0;
  for (const RowStep& each : chain.steps) {
    if (each.what != What::fold) continue;
    folds += "EG_FOLD(eg_fold" + std::to_string(count) + ", " + join_of(each) + ", " + std::to_string(count % 2) + ") ";
    ++count;
  }
  return codegen::define("EG_FOLDS", folds);
}

}  // namespace eglantine::lower

#include "lower/row/text.hpp"

#include <algorithm>
#include <set>

#include "codegen/combine_text.hpp"
#include "codegen/source.hpp"
#include "codegen/value_text.hpp"
#include "graph/op_info.hpp"
#include "lower/row/row_writer.hpp"

namespace eglantine::lower {

std::string name_of_step(size_t i) { return "eg_s" + std::to_string(i); }
std::string name_of_store(size_t i) { return "eg_o" + std::to_string(i); }

using What = RowStep::What;

std::string join_of(const RowStep& fold) {
  return "eg_join_" + std::string(name_of(fold.reduction)) + (fold.may_drop_nan ? "_near" : "");
}

std::string identity_of(const RowStep& fold) { return codegen::identity_text(fold.reduction, DType::f32); }

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

std::string RowWriter::text() const {
  std::string text = prototypes();
  if (plan_.staged) return text + staged_text();
  if (!plan_.register_resident) return text + make("") + take_alone("");
  return text + tiles_put() + read() + make(parameters("")) +
         (plan_.prefetch ? take_ahead() : take_alone(declarations("")));
}

const RowStep* RowWriter::partner_of(const RowStep& x, size_t* number) const {
  const RowStep* found = joined_with(chain_, x);
  if (found != nullptr && number != nullptr) *number = static_cast<size_t>(found - chain_.steps.data());
  return found;
}

bool RowWriter::is_of_round(int value) const {
  return std::any_of(chain_.steps.begin(), chain_.steps.end(),
                     [&](const RowStep& x) { return is_joined(x) && x.of_elements == value; });
}

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

bool RowWriter::is_read(const RowStep& x) const {
  if (plan_.staged) return x.staged;
  if (plan_.across.contains(static_cast<size_t>(&x - chain_.steps.data()))) return true;
  if (!plan_.register_resident || x.pass > 0) return false;
  return x.what == What::row_value || (x.what == What::keep && x.expr.code.size() == 1);
}

std::string RowWriter::parameters(const std::string& direction) const {
  std::string text;
  for_each_read([&](size_t i) {
    const int n = step(i).value;
    text += ", " + direction + type_of(n) + " " + (step(i).of_row ? row_value(n) : kept(n) + "[EG_VECTORS]");
  });
  return text;
}

std::string RowWriter::arguments(const std::string& prefix) const {
  std::string text;
  for_each_read(
      [&](size_t i) { text += ", " + prefix + (step(i).of_row ? row_value(step(i).value) : kept(step(i).value)); });
  return text;
}

std::string RowWriter::declarations(const std::string& prefix) const {
  std::string text;
  for_each_read([&](size_t i) {
    const int n = step(i).value;
    text += "  " + type_of(n) + " " + prefix + (step(i).of_row ? row_value(n) : kept(n) + "[EG_VECTORS]") + ";\n";
  });
  return text;
}

std::string RowWriter::call(size_t i, const std::string& index) const {
  std::string text = name_of_step(i) + "(" + index;
  for (const Instruction& used : codegen::accumulators_of(step(i).expr)) {
    const int n = used.args[0];
    text += ", " + (chain_.values[static_cast<size_t>(n)].of_row ? row_value(n)
                    : plan_.staged                               ? kept(n)
                                                                 : kept(n) + "[u]");
  }
  return text + ")";
}

/// Of a step of elements: those that no lane has are nothing to load or to compute.
std::string RowWriter::elements(size_t i) const {
  const std::string value = plan_.across.contains(i) ? element_across(i) : call(i, "step");
  return plan_.last_elements < vector_width ? "eg_had(u, " + value + ")" : value;
}

std::string RowWriter::addresses(bool of_read) const {
  std::string text;
  for (size_t i = 0; i < chain_.steps.size(); ++i) {
    if (step(i).of_row || is_read(step(i)) != of_read || plan_.across.contains(i)) continue;
    text += "  " + name_of_step(i) + "_address(at);\n";
    if (step(i).what == What::store && !plan_.staged && !plan_.put_across.contains(i))
      text += "  " + name_of_store(i) + "_address(at);\n";
  }
  return text;
}

std::string RowWriter::step_number() const { return plan_.register_resident ? "eg_step(u)" : "eg_step(round, u)"; }

std::string RowWriter::for_steps(const std::string& body) const {
  const std::string last = "min(" + step_number() + ", EG_STEPS - 1u)";
  const std::string inside =
      (plan_.has_inner()
           ? "    eg_inner = u + 1u < uint(EG_VECTORS);\n    uint step = eg_inner ? " + step_number() + " : " + last
           : "    uint step = " + (plan_.whole ? step_number() : last)) +
      ";\n" + body + "  }\n";
  if (!plan_.unrolled()) return "  for (uint u = 0u; u < uint(EG_VECTORS); ++u) {\n" + inside;
  std::string text;
  for (int64_t u = 0; u < plan_.vectors; ++u) text += "  {\n    const uint u = " + std::to_string(u) + "u;\n" + inside;
  return text;
}

std::string RowWriter::read() const {
  std::string rows, loads, across;
  for_each_read([&](size_t i) {
    const std::string n = step(i).of_row ? row_value(step(i).value) : kept(step(i).value);
    if (step(i).of_row)
      rows += "  " + n + " = " + call(i, "at") + ";\n";
    else
      (plan_.across.contains(i) ? across : loads) += for_steps("    " + n + "[u] = " + elements(i) + ";\n");
  });
  return tiles() + "void eg_read(uint item" + parameters("out ") + ") {\n  uint at = min(item, EG_ITEMS - 1u);\n" +
         addresses(true) + rows + loads_across() + loads + exchange_across() + across + "}\n";
}

std::string RowWriter::make(const std::string& read) const {
  std::string text = "void eg_make(uint item, bool mine" + read + ") {\n  uint at = min(item, EG_ITEMS - 1u);\n" +
                     addresses(false) + take_row();
  for (int pass = 0; pass < chain_.passes; ++pass) text += rows_of(pass) + elements_of(pass) + folds_of(pass);
  text += give_row();
  // Where folds alternate, the next item's first one would use the memory that the last one still reads.
  return text + (fold_pairs_of(plan_, chain_).size() % 2 == 1 ? "  eg_separate();\n" : "") + "}\n";
}

std::string RowWriter::rows_of(int pass) const {
  std::string text;
  for (size_t i = 0; i < chain_.steps.size(); ++i) {
    if (step(i).pass != pass || !step(i).of_row || is_read(step(i))) continue;
    const int first = slot_of_first(step(i));
    const std::string value = first < 0     ? call(i, "at")
                              : plan_.fours ? in_register(first, "0u")
                                            : "eg_kept(" + std::to_string(first) + "u, 0u).x";
    if (step(i).what == What::row_value)
      text += "  " + type_of(step(i).value) + " " + row_value(step(i).value) + " = " + value + ";\n";
    else if (step(i).what == What::store)
      text += (plan_.staged ? "  if (mine) " : "  if (mine && eg_lane == 0u) ") + name_of_store(i) + "(item, " +
              call(i, "item") + ");\n";
  }
  return text;
}

/// Whether the lanes before and behind this one, of its subgroup, have the row's steps before and behind its own.
std::string RowWriter::neighbours() const {
  const std::string together = std::to_string(std::min<int64_t>(plan_.lanes, 32)) + "u";
  return "eg_lane % " + together + " != 0u, (eg_lane + 1u) % " + together + " != 0u && " + step_number() +
         " + 1u < EG_STEPS";
}

std::string RowWriter::elements_of(int pass) const {
  if (plan_.staged) return staged_elements_of(pass);
  std::string before, kept_in_round, body, after, reported;
  const bool rounds = !plan_.register_resident;
  for_each_of_elements(pass, [&](size_t i) {
    const int n = step(i).value;
    if (step(i).what == What::keep && is_of_round(step(i).value)) {
      kept_in_round += "    " + type_of(n) + " " + kept(n) + "[EG_VECTORS];\n" +
                       for_steps("    " + kept(n) + "[u] = " + elements(i) + ";\n");
    } else if (partner_of(step(i)) != nullptr) {
      before += joined_start(i);
      after += "  {\n" + joined_round(i) + "  }\n";
    } else if (step(i).what == What::keep) {
      before += "  " + type_of(n) + " " + kept(n) + "[EG_VECTORS];\n";
      body += "    " + kept(n) + "[u] = " + elements(i) + ";\n";
    } else if (step(i).what == What::fold) {
      const std::string sum = rounds ? "t" + std::to_string(n) : share(n);
      // Past the end it is a column's last element again, which changes no maximum.
      const bool again = plan_.strided && (step(i).reduction == Reduction::max || step(i).reduction == Reduction::min);
      const std::string value =
          again ? elements(i) : "eg_within(" + step_number() + ", " + elements(i) + ", " + identity_of(step(i)) + ")";
      before += start_of(i);
      body += combined(i, sum, value);
      if (rounds) after += "  " + share(n) + " = " + step_join(i) + "(" + share(n) + ", " + sum + ");\n";
      reported += reported_of(i);
    } else {
      const std::string within = step_number() + " < EG_STEPS", inside = plan_.whole ? ""
                                                                         : plan_.has_inner()
                                                                             ? " && (eg_inner || " + within + ")"
                                                                             : " && " + within;
      if (plan_.put_across.contains(i))
        body += "    if (" + (inside.empty() ? "true" : inside.substr(4)) + ") eg_put" + std::to_string(i) + "(step, " +
                elements(i) + ");\n";
      else if (plan_.exchanging.contains(i))
        body += "    " + name_of_store(i) + "(step, " + elements(i) + ", mine" + inside + ", " + neighbours() + ");\n";
      else
        body += "    if (mine" + inside + ") " + name_of_store(i) + "(step, " + elements(i) + ");\n";
    }
  });
  if (body.empty() && after.empty()) return before;
  if (!rounds) return before + for_steps(body) + reported + words_put(pass);
  // Sums of rounds are added up: fewer additions stand one behind the other.
  std::string start;
  for_each_of_elements(pass, [&](size_t i) {
    if (step(i).what == What::fold && partner_of(step(i)) == nullptr)
      start += "  vec4 t" + std::to_string(step(i).value) + " = vec4(" + identity_of(step(i)) + ");\n";
  });
  if (!body.empty()) body = for_steps(body);
  return before + "  for (uint round = 0u; round < EG_STEPS; round += EG_ROUND) {\n" + kept_in_round + start + body +
         after + "  }\n" + reported;
}

std::string RowWriter::folds_of(int pass) const {
  const std::vector<FoldPair> pairs = fold_pairs_of(plan_, chain_);
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
    const std::string gathered = join_of(step(i)) + "_gathered(" + share(n) + ")";
    const auto pair =
        std::ranges::find_if(pairs, [&](const FoldPair& x) { return x.fold == &step(i) || x.other == &step(i); });
    const bool alone = pair->other == nullptr;
    text += "  EG_ROW " + row_value(n) + " = " + (alone ? pair->name() + "(" + gathered + ")" : gathered) + ";\n";
    if (pair->other == &step(i))
      text += "  " + pair->name() + "(" + row_value(pair->fold->value) + ", " + row_value(n) + ");\n";
  }
  return text;
}

std::string RowWriter::take_alone(const std::string& declared) const {
  // A loop of one round keeps the driver from arranging loads: 8192 rows of 4097 took 7 % longer.
  std::string text = "void eg_take(uint start, uint end) {\n" + declared +
                     (plan_.alone ? "  uint item = start;\n  {\n"
                                  : "  for (uint item = start; item < end; item += EG_ITEMS_AT_ONCE) {\n");
  if (plan_.register_resident) text += "    eg_read(item + eg_place" + arguments("") + ");\n";
  return text + "    eg_make(item + eg_place, item + eg_place < end" + (plan_.register_resident ? arguments("") : "") +
         ");\n  }\n}\n";
}

std::string RowWriter::take_ahead() const {
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

const RowStep* joined_with(const RowChain& chain, const RowStep& fold) {
  if (fold.what != What::fold) return nullptr;
  const auto found = std::ranges::find_if(chain.steps, [&](const RowStep& other) {
    return other.what == What::fold && other.joins != RowStep::Joins::none && other.base == fold.value;
  });
  return found == chain.steps.end() ? nullptr : &*found;
}

std::string FoldPair::name() const {
  return "eg_fold" + std::to_string(fold->value) + (other != nullptr ? "_" + std::to_string(other->value) : "");
}

std::vector<FoldPair> fold_pairs_of(const RowPlan& plan, const RowChain& chain) {
  std::vector<FoldPair> pairs;
  const bool in_pairs = plan.subgroups && !plan.staged && plan.lanes > lanes_of_a_subgroup;
  for (const RowStep& step : chain.steps) {
    if (step.what != What::fold || step.joins != RowStep::Joins::none) continue;
    const RowStep* joined = joined_with(chain, step);
    FoldPair* last = pairs.empty() ? nullptr : &pairs.back();
    if (in_pairs && joined == nullptr && last != nullptr && last->other == nullptr && last->fold->pass == step.pass &&
        last->fold->joins == RowStep::Joins::none && joined_with(chain, *last->fold) == nullptr)
      last->other = &step;
    else
      pairs.push_back({&step});
    if (joined != nullptr) pairs.push_back({joined});
  }
  return pairs;
}

std::string row_functions(const RowPlan& plan, const RowChain& chain) { return RowWriter(plan, chain).text(); }

std::string row_defines(const RowPlan& plan, const RowChain& chain) {
  std::string text;
  int count = 0;
  for (const FoldPair& each : fold_pairs_of(plan, chain))
    text += (each.other != nullptr ? "EG_FOLD_PAIR(" : "EG_FOLD(") + each.name() + ", " + join_of(*each.fold) +
            (each.other != nullptr ? ", " + join_of(*each.other) : "") + ", " + std::to_string(count++ % 2) + ") ";
  return codegen::define("EG_FOLDS", text);
}

}  // namespace eglantine::lower

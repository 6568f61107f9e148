#include <algorithm>

#include "lower/row/text/text.hpp"
#include "lower/row/text/writer.hpp"

/// One pass of a walk over a row: what is one for the row, then what is done with each element, then folds over the
/// lanes.
namespace eglantine::lower {

using What = RowStep::What;

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

std::string RowWriter::elements_of(int pass) const {
  if (plan_.staged) return staged_elements_of(pass);
  Walk walk;
  for_each_of_elements(pass, [&](size_t i) { add_to(walk, i); });
  if (walk.body.empty() && walk.after.empty()) return walk.before;
  if (plan_.register_resident) return walk.before + for_steps(walk.body) + walk.reported + words_put(pass);
  const std::string body = walk.body.empty() ? "" : for_steps(walk.body);
  return walk.before + "  for (uint round = 0u; round < EG_STEPS; round += EG_ROUND) {\n" + walk.kept_in_round +
         walk.start + body + walk.after + "  }\n" + walk.reported;
}

void RowWriter::add_to(Walk& walk, size_t i) const {
  if (step(i).what == What::keep)
    add_kept(walk, i);
  else if (step(i).what == What::store)
    walk.body += stored_elements(i);
  else if (partner_of(step(i)) == nullptr)
    add_fold(walk, i);
  else
    add_joined(walk, i);
}

void RowWriter::add_kept(Walk& walk, size_t i) const {
  const int n = step(i).value;
  const std::string declared = type_of(n) + " " + kept(n) + "[EG_VECTORS];\n";
  const std::string assigned = "    " + kept(n) + "[u] = " + elements(i) + ";\n";
  if (is_of_round(n)) {
    walk.kept_in_round += "    " + declared + for_steps(assigned);
  } else {
    walk.before += "  " + declared;
    walk.body += assigned;
  }
}

void RowWriter::add_joined(Walk& walk, size_t i) const {
  walk.before += joined_start(i);
  walk.after += "  {\n" + joined_round(i) + "  }\n";
}

/// Sums of rounds are added up: fewer additions stand one behind the other.
void RowWriter::add_fold(Walk& walk, size_t i) const {
  const bool rounds = !plan_.register_resident;
  const int n = step(i).value;
  const std::string sum = rounds ? "t" + std::to_string(n) : share(n), identity = identity_of(step(i));
  // Past the end it is a column's last element again, which changes no maximum.
  const bool again = plan_.strided && (step(i).reduction == Reduction::max || step(i).reduction == Reduction::min);
  walk.before += start_of(i);
  walk.body +=
      combined(i, sum, again ? elements(i) : "eg_within(" + step_number() + ", " + elements(i) + ", " + identity + ")");
  walk.reported += reported_of(i);
  if (!rounds) return;
  walk.start += "  vec4 " + sum + " = vec4(" + identity + ");\n";
  walk.after += "  " + share(n) + " = " + step_join(i) + "(" + share(n) + ", " + sum + ");\n";
}

std::string RowWriter::stored_elements(size_t i) const {
  const std::string within = step_number() + " < EG_STEPS";
  const std::string inside = plan_.whole         ? ""
                             : plan_.has_inner() ? " && (eg_inner || " + within + ")"
                                                 : " && " + within;
  if (plan_.put_across.contains(i))
    return "    if (" + (inside.empty() ? "true" : inside.substr(4)) + ") eg_put" + std::to_string(i) + "(step, " +
           elements(i) + ");\n";
  if (plan_.exchanging.contains(i))
    return "    " + name_of_store(i) + "(step, " + elements(i) + ", mine" + inside + ", " + neighbours() + ");\n";
  return "    if (mine" + inside + ") " + name_of_store(i) + "(step, " + elements(i) + ");\n";
}

/// Whether other lanes of the subgroup have the row's steps before and behind this one; or, of whole vectors, whether
/// the steps that are stored before and next have.
std::string RowWriter::neighbours() const {
  const std::string together = std::to_string(std::min<int64_t>(plan_.lanes, 32)) + "u";
  const std::string follows = "eg_lane % " + together + " != 0u", leads = "(eg_lane + 1u) % " + together + " != 0u",
                    more = " && " + step_number() + " + 1u < EG_STEPS";
  if (!plan_.exchanges) return follows + ", " + leads + more;
  return "u > 0u || " + follows + ", " + (plan_.has_inner() ? "eg_inner || " : "") + "(u + 1u < uint(EG_VECTORS) || " +
         leads + ")" + more;
}

std::string RowWriter::folds_of(int pass) const {
  const std::vector<FoldPair> pairs = fold_pairs_of(plan_, chain_);
  std::string text;
  for (size_t i = 0; i < chain_.steps.size(); ++i) {
    if (step(i).pass != pass || step(i).what != What::fold) continue;
    if (is_joined(step(i)))
      text += finish(step(i));
    else if (const RowStep* partner = partner_of(step(i)))
      text += fold_joined(step(i), *partner);
    else
      text += folded(step(i), pairs);
  }
  return text;
}

/// Over the lanes; two that share a barrier by the second one.
std::string RowWriter::folded(const RowStep& fold, const std::vector<FoldPair>& pairs) {
  const std::string gathered = join_of(fold) + "_gathered(" + share(fold.value) + ")", result = row_value(fold.value);
  const auto pair = std::ranges::find_if(pairs, [&](const FoldPair& x) { return x.fold == &fold || x.other == &fold; });
  const bool alone = pair->other == nullptr;
  const std::string text =
      "  EG_ROW " + result + " = " + (alone ? pair->name() + "(" + gathered + ")" : gathered) + ";\n";
  if (pair->other != &fold) return text;
  return text + "  " + pair->name() + "(" + row_value(pair->fold->value) + ", " + result + ");\n";
}

}  // namespace eglantine::lower

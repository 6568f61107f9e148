#include "lower/row/program.hpp"

#include <algorithm>

#include "codegen/source.hpp"
#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"
#include "lower/row/schedule/staged.hpp"
#include "lower/row/text/text.hpp"

namespace eglantine::lower {
namespace {

using What = RowStep::What;

/// In strided form a row's value is one of a vector's four: each row has its own.
void give_each_row_its_own(Expr& expr) {
  for (Instruction& step : expr.code)
    if (step.op == Op::accumulator) step.args[1] = 0;
}

std::string names_of_folds(const RowChain& chain) {
  std::string text;
  for (const RowStep& step : chain.steps)
    if (step.what == What::fold) text += " " + std::string(name_of(step.reduction));
  return text;
}

}  // namespace

RowProgram::RowProgram(const Target& target, const RowPlan& plan, const RowKernel& kernel, const Flag& flag,
                       bool vectors)
    : BoundProgram(target, vectors, target.texel_reads),
      plan_(plan),
      kept_rank_(kernel.kept_rank),
      chain_(chain_of(kernel, plan.reads())),
      windows_{{0, plan.rows}, {0, plan.length}},
      row_windows_{{0, plan.rows}},
      all_windows_{{0, plan.rows * plan.length}} {
  stages_.reserve(chain_.steps.size());
  for (size_t i = 0; i < chain_.steps.size(); ++i) add_stages(i, vectors);
  for (Stages& each : stages_) {
    each.load.bind(bindings_, windows_of(each.walk));
    if (each.store) each.store->bind(bindings_, windows_of(each.stored));
  }
  if (kernel.gathered) checked_.emplace(flag).bind(bindings_);
  for (size_t i = 0; i < stages_.size(); ++i)
    if (exchanges(stages_[i])) plan_.exchanging.insert(i);
  plan_grid(target, trips(trips_of(kernel.value)));
  add_uniforms();
}

/// The lanes that exchange what makes whole vectors of memory of a step's results; or 0.
int64_t RowProgram::exchanging(const RowStep& step, Walk stored) const {
  const bool may = step.out.storage == StorageType::f32 || bytes_of(step.out.storage) == 2;
  return plan_.exchanges && may && stored == Walk::elements ? std::min(plan_.lanes, lanes_of_a_subgroup) : 0;
}

/// Whether lanes make whole vectors, or complete the words that their vectors share, where rows begin within those.
bool RowProgram::exchanges(const Stages& each) const {
  if (!each.store || each.stored != Walk::elements || !plan_.subgroups || plan_.lanes < 2) return false;
  if (each.store->exchanges()) return true;
  return !plan_.strided && !plan_.staged && !plan_.exchanges && plan_.apart <= 1 && plan_.length % vector_width != 0 &&
         each.store->writes_parts(bindings_);
}

codegen::AddressSpec RowProgram::spec_of(const Shape& domain, Walk walk, const std::string& name) const {
  if (walk == Walk::all) return {name, domain, {{0, domain.rank()}}};
  if (walk == Walk::rows) {
    codegen::AddressSpec spec{name, domain, {{0, kept_rank_}}, plan_.strided ? 4 : 1, 0};
    if (plan_.strided) spec.apart = plan_.apart;
    return spec;
  }
  if (walk == Walk::words) return {name, domain, {{0, kept_rank_}, {kept_rank_, domain.rank() - kept_rank_}}, 1, 0};
  const bool beside = walk == Walk::side_by_side, strided = plan_.strided || beside;
  codegen::AddressSpec spec{name,
                            domain,
                            {{0, kept_rank_}, {kept_rank_, domain.rank() - kept_rank_}},
                            4,
                            strided ? 0 : 1,
                            false,
                            plan_.whole && !beside};
  if (!beside) spec.apart = plan_.apart;
  if (!strided && (plan_.apart > 1 || plan_.exchanges) && plan_.has_inner()) spec.inner = "eg_inner";
  spec.from_start = plan_.exchanges && !strided;
  return spec;
}

void RowProgram::add_stages(size_t number, bool vectors) {
  RowStep& step = chain_.steps[number];
  if (plan_.strided) give_each_row_its_own(step.expr);
  const Walk own = step.of_row ? Walk::rows : plan_.across.contains(number) ? Walk::side_by_side : Walk::elements;
  const Walk read = reads_side_by_side(step, kept_rank_) ? Walk::side_by_side : Walk::all,
             walk = step.staged ? read : own,
             stored = plan_.put_across.contains(number) ? Walk::words
                      : plan_.staged && !step.of_row    ? Walk::all
                                                        : own;
  const Shape& domain = step.expr.domain;
  Stages made{walk, stored, codegen::LoadStage(spec_of(domain, walk, name_of_step(number)), step.expr, reads_), {}};
  if (step.what == What::store)
    made.store.emplace(spec_of(domain, stored, name_of_store(number)), step.out, vectors, false,
                       exchanging(step, stored));
  stages_.push_back(std::move(made));
}

/// Of an invocation for each items_at_once().
int64_t RowProgram::trips(int64_t of_an_element) const {
  if (plan_.staged) return plan_.rows_each * ((chain_.passes + 2) * plan_.steps() * of_an_element + 1) + 2;
  const int64_t rounds = ceil_divide(plan_.steps(), plan_.lanes * plan_.vectors), folds = chain_.passes;
  return chain_.passes * rounds * (plan_.vectors + 1) * of_an_element +
         folds * (2 * plan_.partials() + plan_.lanes / plan_.partials() + 1) + 2;
}

void RowProgram::plan_grid(const Target& target, int64_t trips) {
  if (plan_.fours) {
    grid_ = grid_of_small_groups(target, plan_.items(), plan_.items_at_once());
    return;
  }
  if (plan_.prefetch) {
    // A group takes consecutive rows, so that the active groups touch few pages. Half of the resident invocations,
    // since registers hold two rows each.
    Target half = target;
    half.resident_invocations /= 2;
    grid_ = resident_grid(half, plan_.items(), plan_.items_at_once(), plan_.group_size, trips);
  } else if (target.large_pages) {
    const int64_t rounds_of_items = ceil_divide(plan_.items(), plan_.items_at_once());
    const int64_t rounds_a_group = ceil_divide(rounds_of_items, target.max_groups);
    grid_ = {ceil_divide(rounds_of_items, rounds_a_group), rounds_a_group * plan_.items_at_once()};
    plan_.alone = rounds_a_group == 1;
  } else {
    grid_ = resident_grid(target, plan_.items(), plan_.items_at_once(), plan_.group_size, trips);
  }
}

void RowProgram::add_uniforms() {
  uniforms_.add(plan_.items());
  uniforms_.add(grid_.chunk);
  uniforms_.add(plan_.steps());
  uniforms_.add(plan_.fours ? ceil_divide(plan_.rows * plan_.length, vector_width) : plan_.length);
  for (Stages& each : stages_) {
    each.load.add_uniforms(bindings_, windows_of(each.walk), uniforms_);
    if (each.store) each.store->add_uniforms(bindings_, windows_of(each.stored), uniforms_);
  }
  if (checked_) checked_->add_uniforms(bindings_, uniforms_);
}

std::string RowProgram::defines() const {
  using codegen::define;
  std::string text = define("EG_ROW", plan_.strided ? "vec4" : "float") + (plan_.strided ? define("EG_STRIDED") : "") +
                     define("EG_GROUP_SIZE", plan_.group_size) + define("EG_LANES", plan_.lanes) +
                     define("EG_VECTORS", plan_.vectors) + define("EG_PARTIALS", plan_.partials());
  if (plan_.register_resident) text += define("EG_REGISTER_RESIDENT");
  if (plan_.whole) text += define("EG_WHOLE");
  if (plan_.in_turns()) text += define("EG_TURNS");
  if (plan_.has_inner()) text += define("EG_INNER");
  if (plan_.apart > 1) text += define("EG_APART", plan_.apart);
  if (plan_.last_elements < vector_width) text += define("EG_LAST_ELEMENTS", plan_.last_elements);
  if (plan_.subgroups) text += define("EG_SUBGROUPS");
  if (plan_.staged)
    text += define("EG_ROWS_EACH", plan_.rows_each) + define("EG_SLOTS", plan_.slots) +
            define("EG_SLOT_WORDS", plan_.slot_words());
  if (plan_.fours) text += define("EG_PITCH", plan_.pitch()) + define("EG_ALL_VECTORS", "eg_u[3]");
  const auto length = [&](int64_t n, const char* uniform) {
    return plan_.keeps_rows() ? std::to_string(n) + "u" : std::string(uniform);
  };
  text += define("EG_ITEMS", "eg_u[0]") + define("EG_GROUP_ITEMS", "eg_u[1]") +
          define("EG_STEPS", length(plan_.steps(), "eg_u[2]")) + define("EG_LENGTH", length(plan_.length, "eg_u[3]")) +
          define("EG_ITEMS_AT_ONCE",
                 plan_.staged ? "uint(EG_GROUP_SIZE * EG_ROWS_EACH)" : "uint(EG_GROUP_SIZE / EG_LANES)") +
          define("EG_ROUND", "uint(EG_LANES * EG_VECTORS)");
  return text + row_defines(plan_, chain_);
}

std::string RowProgram::holes() const {
  std::string text = plan_.has_inner() ? "bool eg_inner;\n" : "";
  text += checked_ ? checked_->text() : "void eg_report() {}\n";
  for (size_t i = 0; i < stages_.size(); ++i) {
    const Stages& each = stages_[i];
    text += each.load.text(bindings_) + (each.store ? each.store->text(bindings_, plan_.exchanging.contains(i)) : "");
  }
  return text + row_functions(plan_, chain_);
}

Dispatch RowProgram::dispatch() const {
  const char* file = plan_.fours ? "row_fours.comp" : plan_.staged ? "row_short.comp" : "row.comp";
  const char* form = plan_.fours ? "row_fours" : plan_.staged ? "row_short" : plan_.strided ? "row_strided" : "row";
  const std::string name =
      form + std::string(plan_.register_resident || plan_.staged ? "" : "_reread") + names_of_folds(chain_);
  Dispatch dispatch = dispatch_of(name, {file, defines(), holes(), plan_.subgroups}, bindings_, uniforms_);
  dispatch.groups[0] = static_cast<uint32_t>(grid_.groups);
  return dispatch;
}

}  // namespace eglantine::lower

#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/glsl_type.hpp"
#include "lower/row/schedule/schedule.hpp"
#include "lower/row/schedule/staged.hpp"
#include "lower/row/text/fold_pairs.hpp"

namespace eglantine::lower {

/// Writes the functions of one plan of a row kernel. Names: k<n> a kept value of each step, r<n> a value of the row,
/// s<n> a lane's share of the fold that gives value n, t<n> that of a round; eg_join_<op>, eg_fold<n>.
class RowWriter {
 public:
  RowWriter(const RowPlan& plan, const RowChain& chain)
      : plan_(plan), chain_(chain), slots_(plan.staged ? staged_slots(chain) : StagedSlots{}) {}

  std::string text() const;

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
  const RowStep* partner_of(const RowStep& x, size_t* number = nullptr) const;
  /// A value that only one round of the walk keeps.
  bool is_of_round(int value) const;
  std::string read() const;
  std::string make(const std::string& read) const;
  std::string take_alone(const std::string& declared) const;
  /// The next row is loaded before the folds of this one; past the end the same row again: no other memory is touched.
  std::string take_ahead() const;
  // What stands before them (combine.cpp).
  std::string prototypes() const;
  // One step (steps.cpp).
  /// What is read of a row before anything is computed of it.
  bool is_read(const RowStep& x) const;
  template <class Visit>
  void for_each_read(Visit visit) const {
    for (size_t i = 0; i < chain_.steps.size(); ++i)
      if (is_read(step(i))) visit(i);
  }
  /// ", vec4 k0[EG_VECTORS], float r1", of values read; direction: "out " or nothing.
  std::string parameters(const std::string& direction) const;
  std::string arguments(const std::string& prefix) const;
  std::string declarations(const std::string& prefix) const;
  std::string call(size_t i, const std::string& index) const;
  std::string elements(size_t i) const;
  std::string addresses(bool of_read) const;
  std::string step_number() const;
  /// The body for each step of a lane, `step`, the u-th: a loop, or as often as there are.
  std::string for_steps(const std::string& body) const;
  // A pass (walk.cpp).
  std::string rows_of(int pass) const;
  template <class Visit>
  void for_each_of_elements(int pass, Visit visit) const {
    for (size_t i = 0; i < chain_.steps.size(); ++i)
      if (step(i).pass == pass && !step(i).of_row && !is_read(step(i)) && !is_joined(step(i))) visit(i);
  }
  /// The walk over the row.
  std::string elements_of(int pass) const;
  struct Walk {
    std::string before, body, reported;       ///< its declarations, of each step, and behind the last
    std::string kept_in_round, start, after;  ///< of rounds: what stands before and behind the steps of each
  };
  void add_to(Walk& walk, size_t i) const;
  void add_kept(Walk& walk, size_t i) const;
  void add_joined(Walk& walk, size_t i) const;
  void add_fold(Walk& walk, size_t i) const;
  std::string stored_elements(size_t i) const;
  std::string neighbours() const;
  std::string folds_of(int pass) const;
  static std::string folded(const RowStep& fold, const std::vector<FoldPair>& pairs);
  // Folds of elements (fold.cpp).
  /// The name of what tells of a NaN among the elements that a fold by max or min combines; "" where nothing need.
  std::string nans_of(size_t i) const;
  std::string step_join(size_t i) const;  ///< the function that combines two elements
  std::string start_of(size_t i) const;   ///< what a lane's share is before the first element
  /// One step's elements, `value`, join `sum`.
  std::string combined(size_t i, const std::string& sum, const std::string& value) const;
  std::string reported_of(size_t i) const;  ///< after the last: the share is NaN where an element was
  // Operands that lie across the rows (across.cpp).
  std::string tiles() const;  ///< declared, with functions that give a step's elements
  /// All loads of an invocation stand before what it reads otherwise, and the exchange behind that.
  std::string loads_across() const;
  std::string exchange_across() const;
  std::string element_across(size_t i) const;
  std::string tiles_put() const;          ///< declared, with functions that put a step's elements there
  std::string words_put(int pass) const;  ///< after the walk: all are stored, neighbouring rows by neighbours
  // Rows in shared memory (staged.cpp).
  std::string staged_text() const;
  /// The slot whose elements are what x, a value of the row, computes of each row's first one; or -1.
  int slot_of_first(const RowStep& x) const;
  std::string read_side_by_side() const;
  std::string staged_read() const;  ///< what is computed in the order of memory, to shared memory
  std::string in_register(int slot, const std::string& index) const;
  std::string keep_in_register(int slot, const std::string& index, const std::string& value) const;
  std::string take_row() const;
  std::string give_row() const;
  std::string staged_elements_of(int pass) const;
  std::string staged_step_of(int pass, const std::string& index) const;
  std::string staged_write() const;  ///< from shared memory
  // Of four rows (fours.cpp).
  std::string taken_fours(int slot) const;  ///< of a slot that is staged
  std::string loaded_fours(size_t i) const;
  std::string take_fours() const;
  std::string give_fours() const;
  std::string write_fours() const;
  // Folds that one walk combines together (joined.cpp).
  /// One round of a fold and its partner: the fold of the round's elements, the partner's sum relative to that, and
  /// both together with those of earlier rounds.
  std::string joined_round(size_t i) const;
  std::string joined_squares(const std::string& sum, const std::string& squares, const std::string& before,
                             const std::string& mean) const;
  std::string joined_start(size_t i) const;  ///< what they have before the first round
  /// Over the lanes: the fold, and its partner's sum relative to that.
  std::string fold_joined(const RowStep& fold, const RowStep& partner) const;
  std::string finish(const RowStep& partner) const;  ///< a joined sum, relative to what the expression says

  const RowPlan& plan_;
  const RowChain& chain_;
  StagedSlots slots_;
};

/// Whether a fold combines by max or min, which may drop a NaN that the result must be.
bool must_hold_nans(const RowStep& fold);
RowStep dropping_nans(RowStep fold);           ///< as it may be where something else tells of a NaN
std::string join_of(const RowStep& fold);      ///< the function that combines two values
std::string identity_of(const RowStep& fold);  ///< a constant
std::string rebasing_functions();              ///< of joined folds

}  // namespace eglantine::lower

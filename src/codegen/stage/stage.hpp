#pragma once

#include <string>
#include <vector>

#include "codegen/addresses/addresses.hpp"
#include "codegen/bindings.hpp"
#include "codegen/stage/piecewise.hpp"
#include "codegen/stage/shared_views.hpp"
#include "codegen/stage/window_reads.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::codegen {

/// A fused expression as a template's hole `load`: `T <name>(uint number)`, or `T <name>(uint number, T accumulator)`
/// where it reads that, after `<name>_address(uint number)` for two spans. T has the specification's width. It also
/// writes the extra outputs: each vector takes exactly one call. Of runs (AddressSpec::run): `void <name>(uint number,
/// out T v0, out T v1, ...)`, and so of several results. Of steps: `T <name>()`, after `<name>_address` and
/// `<name>_step`. With AddressSpec::ahead `T <name>(uint number, EgAhead ahead)`, what `EgAhead <name>_ahead(uint
/// number)` has loaded, where loads_ahead() is not 0.
class LoadStage {
 public:
  /// staged: operands that the shader has in shared memory, the vector at hand of each is
  /// `EG_STAGED(eg_tile<operand>)` (lower/map/transpose/transpose_text.hpp), of width 1 the element, widened. results:
  /// instructions, all of the expression's dtype, whose values are loaded at once instead of the last one's; of an
  /// expression that stores nothing.
  LoadStage(const AddressSpec& spec, Expr expr, Vectors vectors, std::vector<int> staged = {},
            std::vector<int32_t> results = {});

  void bind(Bindings& bindings, const std::vector<Window>& windows);
  /// After every bind() of the program; windows as there. same: as of Addresses.
  void add_uniforms(const Bindings& bindings, const std::vector<Window>& windows, Uniforms& uniforms,
                    const LoadStage* same = nullptr);

  DType dtype() const { return expr_.dtype(); }
  int divisor_slot(int axis) const { return addresses_.divisor_slot(axis); }
  bool reads_accumulator() const;
  bool begins_before() const { return addresses_.begins_before(); }  ///< AddressSpec::of_memory
  int64_t loads() const;        ///< that give a vector, where one range covers all that each buffer is read for
  int64_t loads_ahead() const;  ///< operands that are read by `<name>_ahead`
  /// Of two spans: the GLSL globals that `<name>_address` sets. Who keeps them need not call it again for that index.
  std::vector<std::string> state() const;
  /// Of steps: those that `<name>_step` sets, and whether it is worth keeping them for several lines.
  std::vector<std::string> step_state() const { return addresses_.step_state(); }
  bool steps_divide() const { return addresses_.steps_divide(); }
  /// Of steps, whether what is loaded is not all: `T <name>_read()` loads and sets the uint `<name>_word`, and
  /// `T <name>_kept(T, uint word)` computes of both what `<name>()` is, when that is wanted.
  bool defers() const;
  /// Whether random numbers, which are made by fours, are joined from two of them, and from one in vectors that begin
  /// at multiples of four in x, a layout of the domain.
  bool joins_fours_beside(const Layout& x) const;
  std::string text(const Bindings& bindings) const;

 private:
  void add_iotas(Vectors vectors);
  void choose_windows(Vectors vectors);
  void divide_windows();  ///< those of several bindings
  bool reads_quads(int operand) const;
  void choose_views(Vectors vectors);
  void divide_views();
  bool shares_view(int operand) const;
  bool is_aligned(const SharedViews& views) const;
  bool is_kept(int operand) const;  ///< AddressSpec::keeps
  bool is_ahead(int operand) const;
  std::string ahead_text(const Bindings& bindings) const;
  std::string type_of_vector(int operand) const;
  std::string load_of_memory(const Bindings& bindings, int operand) const;
  std::string kept_text(const Bindings& bindings) const;
  int64_t loads_apart(int operand) const;
  std::string load_views(const Bindings& bindings) const;
  std::string load_views_of(const Bindings& bindings, size_t group) const;
  std::string load_from_views(int operand) const;
  int operands() const { return static_cast<int>(expr_.operands.size()); }
  std::string load(const Bindings& bindings, int operand) const;
  std::string load_piecewise(const Bindings& bindings, int operand, const PiecewiseText& read) const;
  std::string load_windows(const Bindings& bindings) const;
  std::string load_window(const Bindings& bindings, size_t window) const;
  std::string load_of_window(const Bindings& bindings, size_t window, int64_t place, int width) const;
  std::string load_from_window(int operand) const;
  std::string store(const Bindings& bindings, int operand) const;
  std::string argument(int item, int j) const;
  std::string arguments(int j) const;      ///< of operands, iotas and fours()
  bool numbers_fours(int32_t iota) const;  ///< nothing else takes it
  std::vector<int32_t> fours() const;      ///< instructions that are computed for the whole vector
  std::string compute_fours() const;
  bool is_staged(int operand) const;
  bool is_computed(int operand) const;  ///< of Op::load_at
  std::string deferred_text(const Bindings& bindings) const;
  std::string value_text(const Bindings& bindings) const;
  bool is_wide(int operand) const;  ///< of a run, read by loads of 16 bytes
  std::string load_run(const Bindings& bindings, int operand) const;
  std::string run_text(const Bindings& bindings) const;
  std::string results_text(const Bindings& bindings) const;

  AddressSpec spec_;
  Expr expr_;
  std::vector<int> staged_;
  std::vector<int32_t> results_;
  Addresses addresses_;
  std::vector<int> bindings_of_;          ///< by operand; -1 where it is staged
  std::vector<int> parameter_slots_;      ///< by parameter
  std::vector<PiecewiseText> piecewise_;  ///< as in the expression
  std::vector<int> packed_items_;         ///< by piecewise read: of addresses_, where its bounds are packed
  std::vector<WindowReads> windows_;      ///< of reads that have elements in common
  std::vector<SharedViews> views_;        ///< likewise, of operands that are read everywhere
  std::vector<int> last_slots_;           ///< by operand; where elements do not exist: of the last address, else -1
};

/// A strided output as the hole `store` of a template: `void <name>(uint number, T value)`, after `<name>_address(uint
/// number)` where there are two spans, and of steps after `<name>_step(uint number)`. Of a partial last vector only the
/// existing elements are written.
class StoreStage {
 public:
  /// anywhere: words are written by vectors where these are whole ones of memory, which begin anywhere in their rows.
  /// exchanging: so many neighbouring invocations of a subgroup, a power of two, have neighbouring vectors of a line.
  /// Of f32 and halves that begin anywhere they exchange what makes whole vectors of memory; 0: each writes its own.
  StoreStage(const AddressSpec& spec, Strided out, bool vectors, bool anywhere = false, int64_t exchanging = 0);

  /// Whether they do: the function is `void <name>(uint number, T value, bool mine, bool follows, bool leads)` then,
  /// and all invocations of a subgroup call it for vectors in the order of the line. Those that are `mine` are written.
  /// follows: another of them, or the last one in the call before, has the vector before this one; leads: one of them,
  /// or the first one in the next call, has that behind it.
  bool exchanges() const { return exchanging_ > 0 && addresses_.access(0) == VectorAccess::anywhere; }

  bool by_words() const;  ///< narrow elements as the words that they lie in, else one by one

  void bind(Bindings& bindings, const std::vector<Window>& windows);
  void add_uniforms(const Bindings& bindings, const std::vector<Window>& windows, Uniforms& uniforms);

  int binding() const { return binding_; }  ///< after bind()
  /// Of steps: the GLSL globals that `<name>_step` sets, to keep them for several lines; empty of others.
  std::vector<std::string> step_state() const {
    return spec_.steps ? addresses_.step_state() : std::vector<std::string>{};
  }
  /// Whether vectors are of halves whose first and last words may hold others' elements, too; after bind().
  bool writes_parts(const Bindings& bindings) const;
  /// exchanged: as of Bindings::write_words.
  std::string text(const Bindings& bindings, bool exchanged = false) const;
  /// `void <name>_part(uint number, T value, uint count)`: of narrow elements as words the first `count` of a vector.
  std::string part_text(const Bindings& bindings) const;

 private:
  std::string exchanging_text(const Bindings& bindings) const;
  std::string whole_vector_text() const;

  AddressSpec spec_;
  Strided out_;
  Addresses addresses_;
  int64_t exchanging_;
  int binding_ = -1;
};

}  // namespace eglantine::codegen

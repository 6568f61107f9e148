#pragma once

#include <string>
#include <vector>

#include "codegen/bindings.hpp"
#include "codegen/uniforms.hpp"
#include "graph/kernel/kernel.hpp"
#include "lower/map/transpose/joint_tile.hpp"

namespace eglantine::lower {

/// The holes of map_permute.comp: where a box lies, what of it an invocation reads and writes. Of a map without a
/// buffer of results those of reduce_boxes.comp: `eg_take()` combines the values of a box.
class PermuteText {
 public:
  PermuteText(const MapKernel& kernel, JointTile tile, int64_t group_size);

  const JointTile& tile() const { return tile_; }
  /// Whether narrow results are computed four at a time, the elements of one word or two, by an `eg_load` of vectors.
  bool writes_fours() const { return writes_fours_; }
  int64_t boxes() const;
  void bind(codegen::Bindings& bindings);
  /// After every bind() of the program.
  void add_uniforms(const codegen::Bindings& bindings, codegen::Uniforms& uniforms);
  std::string tiles(const codegen::Bindings& bindings) const;  ///< before the text that reads staged operands
  /// Whether an invocation keeps its few places among the results, each of one element.
  bool keeps_writes() const;
  /// After it, `eg_load(uint number)`; ahead: with what `EgAhead eg_load_ahead(uint number)` has loaded.
  std::string text(const codegen::Bindings& bindings, bool ahead = false) const;

 private:
  struct AxisSlots {
    int boxes = -1, last = -1;  ///< how many boxes, and where the last one begins
    bool overlaps = false;      ///< which is before the end of the one before
    int size = -1, size_read = -1, stride = -1, place = -1,
        pitch = -1;  ///< in a box, from one to the next: operands, results, slots
  };
  struct PairUniforms {
    int vectors = -1, plane = -1;  ///< of a line in a box; words between elements of one
    int pairs = -1, last = -1;     ///< of a run, or across; a run's last element
    int across = -1;               ///< elements of a run before the next along a line
    int next = -1, blocks = -1;    ///< pairs from which on the next such are, and how many such blocks
  };
  struct Tile {
    Strided operand;        ///< where the domain begins, at the least shifts
    layout::Reach reached;  ///< by all views
    int binding = -1, base_slot = -1, last_slot = -1;

    /// Booleans are staged as they are stored.
    DType dtype() const { return operand.dtype() == DType::boolean ? DType::u32 : operand.dtype(); }
  };
  const AxisSlots& slots(int axis) const { return slots_[static_cast<size_t>(axis)]; }
  bool writes_results() const { return kernel_.out.buffer != nullptr; }
  bool is_narrow_result() const { return is_narrow(kernel_.out.storage); }
  /// Results that an invocation writes at a time.
  int64_t in_word() const { return writes_fours_ ? 4 : 4 / bytes_of(kernel_.out.storage); }
  bool has_slots_side_by_side() const;
  int64_t words_read() const;  ///< of pairs two neighbours' vectors
  int64_t reads() const;       ///< of an invocation
  int64_t writes() const;      ///< likewise, of narrow results words
  int64_t words_of_run() const;
  std::string start() const;
  std::string tile_text(size_t view, const codegen::Bindings& bindings) const;
  std::string slot_of(int axis) const;
  std::string place(const std::vector<int>& axes, size_t first, bool reads) const;
  std::string address(const Tile& tile, int64_t k, const char* from = "eg_from") const;
  std::string places() const;
  std::string number(int64_t k) const;
  std::string exists(int64_t k, int64_t count, int count_slot) const;
  std::string prepare() const;
  std::string fetch(const codegen::Bindings& bindings) const;
  std::string write(const codegen::Bindings& bindings, bool ahead) const;
  std::string write_kept(bool ahead) const;
  std::string write_word(const codegen::Bindings& bindings) const;
  std::string write_four(const codegen::Bindings& bindings) const;
  std::string four(const codegen::Bindings& bindings) const;
  std::string write_fours() const;
  std::string fetch_words(const codegen::Bindings& bindings) const;
  void add_pair_uniforms(codegen::Uniforms& uniforms);
  int64_t front_stride() const;
  std::vector<int> axes_of_pairs() const;
  int64_t pairs_before_next() const;
  std::string word_of(size_t tile, const std::string& word) const;
  std::string pair_functions() const;
  std::string pair_place() const;
  std::string pair_of_run() const;
  std::string pair_across() const;
  std::string prepare_pair(int64_t k, std::string& globals) const;
  std::string read_pairs(size_t tile, int64_t k, const codegen::Bindings& bindings, std::string& globals) const;
  std::string stage_pairs(size_t tile, int64_t k) const;
  std::string fetch_pairs(const codegen::Bindings& bindings) const;
  std::string is_own() const;
  std::string take() const;
  std::string run_slot() const;

  const MapKernel& kernel_;
  JointTile tile_;
  int64_t group_size_;
  int64_t in_word_read_;  ///< elements that an invocation reads at a time
  bool writes_fours_;
  std::vector<AxisSlots> slots_;
  std::vector<Tile> tiles_;
  std::vector<int> shift_slots_;  ///< by staged view
  int out_binding_ = -1, out_slot_ = -1, read_count_ = -1, writes_slot_ = -1, words_slot_ = -1, run_slot_ = -1;
  PairUniforms pair_;
};

}  // namespace eglantine::lower

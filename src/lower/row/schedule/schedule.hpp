#pragma once

#include <set>

#include "graph/row/chain.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Invocations of a subgroup whose lanes combine by shuffles.
inline constexpr int64_t lanes_of_a_subgroup = 32;

/// How a RowKernel is divided. An item is a row, or four neighbouring strided rows; a step is four elements of a row,
/// or one element of each of the four.
struct RowPlan {
  bool strided = false;            ///< elements of a row are strided, neighbouring rows contiguous
  bool register_resident = false;  ///< a row stays in registers between its one read and its one write
  bool whole = false;              ///< its elements are exactly those of the lanes' steps
  bool prefetch = false;           ///< a group loads its next row before it finishes one
  bool alone = false;              ///< a group has one round of rows
  int64_t apart = 1;  ///< from one element of a step to the next; over 1 where rows begin anywhere, strided ones too
  int64_t last_elements = 4;     ///< of a lane's last step, that any lane has
  bool subgroups = false;        ///< lanes combine by shuffles
  bool staged = false;           ///< an invocation has whole rows, in shared memory (glsl/row/row_short.comp)
  bool fours = false;            ///< staged: it has four rows, strided, in registers (glsl/row/row_fours.comp)
  bool exchanges = false;        ///< lanes exchange what makes whole vectors of memory of results that begin anywhere
  bool joined = false;           ///< a row that is read again is read less often (RowReads::joined)
  int64_t rows = 1, length = 1;  ///< rows, and elements of a row
  int64_t lanes = 1;             ///< invocations that share an item: a power of two
  int64_t group_size = 1;        ///< invocations
  int64_t vectors = 1;           ///< steps of a lane: in registers, or at a time; staged: vectors loaded at a time
  // Staged: rows of an invocation, and values of each element.
  int64_t rows_each = 1, slots = 0;
  int kept_rank = 0;                 ///< of the kernel
  std::set<size_t> exchanging = {};  ///< steps of the chain of whose results that is so
  std::set<size_t> across = {};      ///< steps that read neighbouring rows side by side, through shared memory
  std::set<size_t> put_across = {};  ///< that store so

  RowReads reads() const {
    return staged              ? RowReads::staged
           : register_resident ? RowReads::once
           : joined            ? RowReads::joined
                               : RowReads::each_pass;
  }
  int64_t items() const { return strided ? (rows + 4 * apart - 1) / (4 * apart) * apart : rows; }
  int64_t steps() const { return strided ? length : (length + 4 * apart - 1) / (4 * apart) * apart; }
  /// Partial results of an item that all its lanes read: about the square root of the lanes.
  int64_t partials() const;
  static constexpr int64_t most_in_a_loop = 8, most_exchanged_in_a_loop = 6;
  /// Whether steps of a lane stand in the text without a loop. Where lanes exchange, NVIDIA's compiler leaves a longer
  /// loop as it is, and what it keeps of each step in memory: softmax of 100,000 f16 rows of 1001, of eight steps,
  /// takes 361 us so, and 120.
  bool unrolled() const {
    return register_resident && vectors > (exchanges ? most_exchanged_in_a_loop : most_in_a_loop);
  }
  int64_t items_at_once() const { return group_size / lanes * rows_each; }  ///< of a group
  /// Of one value of all rows of a group, and what a last step reads past the last row.
  int64_t slot_words() const { return items_at_once() * steps() * 4; }
  /// Whether the one invocation of a short row has it in registers from its first pass to its last, eight vectors of
  /// values: shared memory then is accessed twice, not twice a pass, and nothing is computed past the row's end.
  bool keeps_rows() const { return fours || (staged && slots * steps() <= 8); }
  /// fours: vectors in shared memory from one invocation's to the next one's, odd so that they meet in no bank.
  int64_t pitch() const { return length | 1; }
  int64_t staged_words() const { return slots * slot_words(); }
  /// Whether each step of a lane but its last has four elements of the row, whichever lane: `eg_inner` then says of a
  /// step that it is one of those, a constant where loops are unrolled, and nothing is compared for its elements.
  bool has_inner() const {
    return register_resident && !whole && !staged && !in_turns() && vectors > 1 &&
           (strided || apart == 1 || apart == lanes) && (vectors - 1) * lanes * (strided ? 1 : 4) <= length;
  }
  /// exchanges: whether a subgroup's steps of a row follow each other, so that its first and last lane alone have
  /// neighbours in others.
  bool in_turns() const { return exchanges && lanes > lanes_of_a_subgroup && vectors > 1; }
  /// across: words from one row's elements to the next one's, odd so that rows meet in few banks; of eight lengths one.
  int64_t tile_pitch() const { return (length + 7) / 8 * 8 + 1; }
};

/// chain: of a row that stays on the chip.
RowPlan plan_row(const Target& target, const RowKernel& kernel, const RowChain& chain);

/// The longest row of a row kernel on this device: one that a binding covers wherever it begins.
int64_t longest_row(const Target& target);

/// Columns of which row kernels keep enough of the device busy: a group for every sixth multiprocessor; 0 on software
/// devices. Softmax over axis 0 on an H200, by row kernels and by kernels that read each element once: 55,021 x 384
/// 1,143 and 193 us, 8192 x 1024 171 and 76, 2048 x 2100 50 and 60, 4096 x 4096 112 and 142.
int64_t enough_columns(const Target& target);

}  // namespace eglantine::lower

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eglantine/shape.hpp"
#include "graph/op/op.hpp"
#include "graph/op/storage_type.hpp"
#include "layout/layout.hpp"
#include "layout/reduce_tree.hpp"

/// A kernel is plain data: expressions, layouts, buffers. Only kernels cross the backend interface, alike for all.
namespace eglantine {

class Buffer;
using BufferPtr = std::shared_ptr<Buffer>;

struct ElementwiseOp;
struct ReduceOp;
/// Users' operations, shared by the nodes and kernels that use them.
using ElementwiseOpPtr = std::shared_ptr<const ElementwiseOp>;
using ReduceOpPtr = std::shared_ptr<const ReduceOp>;

/// A strided access to a buffer over a domain, the layout's shape; the layout's offset is from the buffer's start.
struct Strided {
  BufferPtr buffer;
  StorageType storage;
  Layout layout;
  bool whole = false;  ///< of an output: covers the buffer, so that behind its last element in memory lies padding

  DType dtype() const { return computed_type(storage); }  ///< of what is read and written
};

/// One step of an expression. `args`: earlier instructions, or an index into the expression's tables (see Op); -1 where
/// unused. dtype: of the result; an argument has the dtype of the instruction it names.
struct Instruction {
  Op op;
  DType dtype;
  std::array<int32_t, 3> args{-1, -1, -1};
};

inline constexpr int max_custom_arity = 8;  ///< operands of a user's operation

/// A user's operation applied to earlier instructions: Op::custom. f32 throughout.
struct CustomCall {
  ElementwiseOpPtr op;
  std::vector<int32_t> args;
};

/// An operand whose address is only piecewise linear in the domain's coordinates, as of a roll, or that is not read
/// everywhere, as of a padded tensor. i: the value of an iota of the expression, which no instruction need name. Or one
/// that instructions compute the addresses of, as of interpolation: then neither jumps nor bounds, and no plain load.
struct PiecewiseRead {
  /// Where i >= from, address += add + times * i. In an int64, or modulo 2^32 where the range bound is smaller.
  struct Jump {
    int32_t iota;
    int64_t from, add, times;
    bool operator==(const Jump&) const = default;
  };
  /// The element is read where 0 <= i < count, for all bounds. count <= 2^32, and i takes no two values equal modulo
  /// it.
  struct Bound {
    int32_t iota;
    int64_t count;
    bool operator==(const Bound&) const = default;
  };
  size_t operand = 0;
  std::vector<Jump> jumps;
  std::vector<Bound> bounds;
  uint32_t otherwise = 0;  ///< bits of its value outside the bounds
  layout::Reach within;    ///< bounds the addresses read
  /// Of an operand of Op::load_at: the least and the most that instructions add to the address.
  std::optional<layout::Reach> computed = {};
};

/// A scalar that a kernel takes as bits, of the dtype that its instruction says.
struct Parameter {
  uint32_t bits = 0;
  static constexpr int32_t of_lowering = -2;  ///< of a constant that lowering adds: the same whenever it lowers so
  int32_t constant = -1;  ///< the number of the graph's constant that it is, where a plan is to be recorded; else -1
  operator uint32_t() const { return bits; }
};

/// An element-wise program in single-assignment form over a domain. The last instruction is its value; others may be
/// stored as well, each into an operand that nothing reads, no two coordinates to one element. Axes are collapsed: at
/// least one, none of length 1 unless it is the only one, neighbours merged where every layout allows.
struct Expr {
  Shape domain;
  std::vector<Strided> operands;
  std::vector<Layout> iotas;
  std::vector<Parameter> parameters;
  std::vector<Instruction> code;
  std::vector<CustomCall> calls = {};  ///< of Op::custom
  std::vector<size_t> stored = {};     ///< operands of Op::store, the only ones that are written
  std::vector<PiecewiseRead> piecewise = {};

  bool stores(size_t operand) const { return std::find(stored.begin(), stored.end(), operand) != stored.end(); }
  const PiecewiseRead* piecewise_of(size_t operand) const {  ///< null where its layout says it all
    for (const PiecewiseRead& read : piecewise)
      if (read.operand == operand) return &read;
    return nullptr;
  }
  DType dtype() const { return code.back().dtype; }
};

/// out[i] = value(i) for each coordinate i of value.domain. out.layout, over that domain, is contiguous in most
/// kernels, strided for a piece of a concatenation. No two coordinates write one element; no operand shares out's
/// buffer.
struct MapKernel {
  Expr value;
  Strided out;
};

/// out[o] = epilogue(accumulator = combine over r of prologue(k, r)), o the row-major number of the kept coordinates k.
/// prologue.domain: `kept_rank` collapsed kept axes (may be 0), then at least one reduced axis, in the tree's order; no
/// length is 0. Combines exactly in the order of `tree` (layout/reduce_tree.hpp). argmax and argmin give the row-major
/// number of r as i32. epilogue.domain has as many elements as the kept axes, in the same order.
struct ReduceKernel {
  Expr prologue;
  int kept_rank = 0;
  Reduction reduction;
  layout::ReduceTree tree = layout::ReduceTree::row;
  Expr epilogue;
  Strided out;                   ///< contiguous over epilogue.domain
  ReduceOpPtr custom = nullptr;  ///< of Reduction::custom
};

/// out[o] = epilogue(accumulator = sum over k of a(batch, m, k) * b(batch, k, n)), o the row-major number of (batch, m,
/// n). a: (batch..., m, k), b: (batch..., k, n), any strides, 0 on broadcast batch axes. k = 0: a sum of 0.
struct MatmulKernel {
  Shape batch;  ///< may be empty
  int64_t m = 0, n = 0, k = 0;
  Strided a, b;
  Expr epilogue;  ///< domain has batch * m * n elements, in the same order
  Strided out;    ///< contiguous over epilogue.domain
};

/// out[o] = epilogue(accumulator = sum over k of prologue(b, r, k) * vectors(b, c, k)), o the row-major number of (b,
/// r, c), or under `columns_first` of (b, c, r): a matrix, read through an expression, times 1 to 16 columns in memory.
/// prologue.domain: `batch_rank` batch axes, rows up to `kept_rank`, then at least one axis that is summed over,
/// longer than 1.
struct FewColumnsKernel {
  Expr prologue;
  int batch_rank = 0, kept_rank = 0;
  Strided vectors;  ///< the first column, over prologue.domain: stride 0 along rows
  Layout columns;   ///< where the columns begin, from the first one on
  bool columns_first = false;
  Expr epilogue;  ///< domain has as many elements as the results, in the same order
  Strided out;    ///< contiguous over epilogue.domain
};

/// out[o] = epilogue(accumulator = sum over k of left(b, r, k) * right(b, c, k)), o the row-major number of (b, r, c):
/// sums of products over groups of axes, read through expressions. left.domain: `left_kept` axes of batches and rows,
/// then those that are summed over; right.domain the same of batches and columns. At least one axis in each part; no
/// length is 0. batches, rows, columns, length: elements of each group.
struct ContractionKernel {
  int64_t batches = 1, rows = 1, columns = 1, length = 1;
  Expr left;
  int left_kept = 0;
  Expr right;
  int right_kept = 0;
  Expr epilogue;  ///< domain has as many elements as the results, in the same order
  Strided out;    ///< over epilogue.domain
};

/// out[c] = epilogue(accumulator = prologue[c'] combined over the c' from the first up to c along the domain's last
/// axis; exclusive: without c, from the identity on). A scan from the end has negative strides. Sums, products,
/// largest, smallest, or a user's operation. One domain: `kept_rank` collapsed axes (may be 0), then one longer than 1.
struct ScanKernel {
  Expr prologue;
  int kept_rank = 0;
  Reduction reduction;
  bool exclusive = false;
  Expr epilogue;
  Strided out;  ///< any strides
  ReduceOpPtr custom = nullptr;
};

/// Sorts the rows of keys (the domain's last axis, longer than 1, after `kept_rank` collapsed ones) stably: equal keys
/// keep their order, NaN comes last both ways, -0 equals +0, false precedes true. Writes the first `keep` of each row,
/// or those at the `keep` places of `read`: the keys, what lay at their places (the payload, else the place as i32), or
/// both. The epilogue applies to `out`.
struct SortKernel {
  Expr keys;
  std::optional<Expr> payload;
  int kept_rank = 0;
  bool descending = false;
  int64_t keep = 0;
  Expr epilogue;     ///< domain (kept..., keep), collapsed on its own
  Strided out;       ///< over epilogue.domain, any strides: the keys, or with `places` what lay at their places
  Strided second{};  ///< without a buffer, or what lay at the places of the keys; then the epilogue is the accumulator
  bool places = false;
  IntList read = {};  ///< of keys alone: the places of a row that are read, in order; empty: the first ones
};

/// What an IndexError reports (graph/kernel/index_check.hpp).
struct IndexCheck {
  std::string function;
  Shape shape;            ///< of what is indexed
  int axis = 0;           ///< of that shape
  Shape indices;          ///< the index tensor's own shape; fewer than 2^32 - 1 elements
  Layout place;           ///< over what the index expression is over: the row-major number in the index tensor
  IntList together = {};  ///< where several tensors index these axes of `shape` at once: see outside_of
  bool from_end = true;   ///< false: the index expression has negative indices less the length, which is out of range
};

using IndexCheckPtr = std::shared_ptr<const IndexCheck>;  ///< shared by a node and its kernel

/// What a gather looks up: the element at an index; or, in an axis in the order of sort(), the first place whose
/// element is not before (lower_bound) or is after (upper_bound) the index, which then is a key of the source's dtype.
enum class Lookup : uint8_t { element, lower_bound, upper_bound };

/// out[c] = epilogue(accumulator = the source's element at source.layout(c) + i * stride), i = index[c], an i32, from
/// the end if negative. Outside [-length, length) it fails with IndexError; nothing outside the source is read. The
/// accumulator of a bound is its place, an i32, and nothing is checked.
struct GatherKernel {
  Expr index;
  Strided source;  ///< over the domain: the element at place 0 of the axis
  int64_t length = 0, stride = 0;
  Expr epilogue;
  Strided out;          ///< contiguous
  IndexCheckPtr check;  ///< null of a bound
  Layout place;         ///< check->place over the domain
  Lookup lookup = Lookup::element;
};

/// out[target(c) + i * stride] = updates[c], or what is there combined with it, i = index[c], c in row-major order: the
/// last update of an element wins. `out` holds the initial values. `distinct`: no two go to one place. Outside
/// [-length, length) it fails the kernel with IndexError and nothing outside out is written; with `partial`, `length`
/// drops its update. The order of float sums and products depends on indices and shapes alone. place may repeat
/// an index for updates of different elements. combine: sum or prod, of integers also max or min.
/// Of a compaction, which has `ends`, the index is a mask: out[target(c) + k * stride] = updates[c] where index[c] is
/// true for the k-th time, and ends[t] (i32) says how many are true of the first (t + 1) * compacted_tile elements; of
/// at most most_counted_tiles, how many of tile t are. `length` are true in all, and they are all of out. The target is
/// one place, and nothing is checked. With `coordinates`, a shape, the updates (i32) are places in its row-major order,
/// and each gives its coordinates, neighbours in out, which is (length, rank).
struct ScatterKernel {
  Expr index;
  Expr updates;   ///< over index.domain
  Layout target;  ///< over index.domain: the element at place 0 of the axis
  int64_t length = 0, stride = 0;
  std::optional<Reduction> combine = {};
  bool distinct = false, partial = false;
  Strided out;          ///< contiguous; read and written
  IndexCheckPtr check;  ///< null of a compaction
  Layout place;         ///< check->place over index.domain
  Strided ends{};       ///< of a compaction, one for each tile; else without a buffer
  Shape coordinates{};  ///< of a compaction; of rank 0: none

  bool is_compaction() const { return ends.buffer != nullptr; }
};
inline constexpr int64_t compacted_tile = 2048;  ///< elements whose count one of a compaction's ends adds
/// As many tiles' counts kernels add themselves: less than a scan's launch, some 9 us on an H200. Each group reads
/// those before it, 16 KiB at most, 16 words of each of its invocations.
inline constexpr int64_t most_counted_tiles = 4096;
/// Whether a compaction's ends are counts.
constexpr bool are_counted(int64_t tiles) { return tiles <= most_counted_tiles; }

/// out[t] = epilogue(accumulator = prologue combined over tile t's elements), t in epilogue.domain: ceil(length / tile)
/// tiles along each axis of the prologue's domain, the last perhaps smaller. Axes are in memory order, innermost last;
/// those of length 1 are dropped, one of whole tiles merged with the one before it where memory allows.
struct TileKernel {
  Expr prologue;
  Shape tile;  ///< of the prologue's rank; no longer than its domain
  Reduction reduction;
  Expr epilogue;
  Strided out;  ///< any strides
  ReduceOpPtr custom = nullptr;
};

/// out[c] = value(c), c in value.domain: `kept_rank` collapsed axes (may be 0), then those of a row, longer than 1 in
/// all. In `value`, Op::fold combines an instruction over each row, and later instructions may use what it gives: a
/// softmax is max, exp(x - max), sum and a quotient. Results that are one for a row, of `out` or of Op::store, have
/// stride 0 along it. The order in which a row is combined is the kernel's own.
struct RowKernel {
  Expr value;
  int kept_rank = 0;
  Strided out;
  /// Works through neighbouring rows side by side: faster where they lie so in memory. It decides the order of a row's
  /// sum, so it follows from how the rows were made, not from where they lie now; short rows, and values of rows, of
  /// operands in several orders are lowered by where these lie all the same. Only where kept_rank > 0.
  bool strided = false;
  /// What it reads lies the other way than what it stores, which `strided` describes. Follows from the same.
  bool across = false;
  /// The kernel that would read beforehand what `value` reads by Op::load_at of an Op::checked_index, at most one, with
  /// its elements in the order of their places; without an output.
  std::optional<GatherKernel> gathered = std::nullopt;
};
/// Whether a layout over a row kernel's domain is the same for all elements of a row.
bool is_of_rows(const Layout& x, int kept_rank);

/// out[o] = epilogue(accumulator = sum over c of p(r, c) v(h, c, e)), o the row-major number of (h, r, e), where p(r,
/// c) = exp(s(r, c) - max s) / sum exp(s - max s) over the columns c that row r sees, and s = scale * sum over f of
/// q(h, r, f) k(h, c, f), plus a mask of floats. A row sees a column unless the mask is false or -infinity there, or
/// under `causal` c > r; a row that sees none gives 0. `second`: log(sum exp s) of each row, -infinity where it sees
/// none; then the epilogue is the accumulator. h numbers all batches and heads. q: (h..., rows, features), k: (h /
/// key_share..., columns, features), v: (h / value_share..., columns, results), mask: (h..., rows, columns), any
/// strides. No length is 0. f32, or narrow floats that are widened as they are read.
struct AttentionKernel {
  int64_t heads = 1, rows = 1, columns = 1, features = 1, results = 1;
  int64_t key_share = 1, value_share = 1;  ///< neighbouring heads that share one of k, of v
  Strided q, k, v;
  Strided mask{};  ///< without a buffer, boolean, or floats
  bool causal = false;
  uint32_t scale = 0;  ///< bits of an f32
  Expr epilogue;       ///< domain has heads * rows * results elements, in the same order
  Strided out;         ///< over epilogue.domain, without gaps
  Strided second{};    ///< without a buffer, or contiguous, heads * rows
};
inline constexpr int64_t longest_head = 256;  ///< features, and results, that an AttentionKernel takes

/// The gradient of an AttentionKernel's sum of cotangent * result by q, or by k and v. Of its shares p(r, c) = exp(s(r,
/// c) - logsumexp(r)), 0 where row r does not see column c, and d(r, c) = p(r, c) (sum over e of cotangent(h, r, e)
/// v(h, c, e) - delta(r)): out[o] = scale * sum over c of d(r, c) k(h, c, f), o the row-major number of (h, r, f); or
/// where `together` > 0, with sums over so many neighbouring heads h and their rows, out[o] = scale * sum d(r, c) q(h,
/// r, f), o that of (h / together, c, f), and second[o] = sum p(r, c) cotangent(h, r, e), o that of (h / together, c,
/// e). Of `all`, out is q's gradient, second k's, and v's lies in second's buffer. delta: sum over e of cotangent *
/// result, less the logsumexp's own cotangent. Lengths, shares and operands are as in AttentionKernel; cotangent:
/// (h..., rows, results), logsumexp and delta: (h..., rows, 1), any strides. `together` divides key_share and
/// value_share.
struct AttentionGradientKernel {
  int64_t heads = 1, rows = 1, columns = 1, features = 1, results = 1;
  int64_t key_share = 1, value_share = 1, together = 0;
  Strided q, k, v;
  Strided mask{};
  Strided cotangent, logsumexp, delta;
  bool causal = false;
  uint32_t scale = 0;
  Strided out;       ///< f32, contiguous; of all (batches, heads, lines, elements), the elements side by side, and
                     ///< dense, or the heads of a row side by side and rows at any distance, in second's buffer too
  Strided second{};  ///< the same; without a buffer of q's gradient
  Layout third{};    ///< of all, the same, where v's gradient is in second's buffer; else without axes

  bool is_of_keys() const { return together > 0; }
  bool is_of_all() const { return third.shape.rank() > 0; }
};

/// What a gather, a scatter or a row kernel that gathers checks its indices with; null of other kernels.
struct CheckedIndex {
  const Expr* index = nullptr;
  IndexCheckPtr about = nullptr;
  const Layout* place = nullptr;
};

using Kernel =
    std::variant<MapKernel, ReduceKernel, MatmulKernel, ScanKernel, SortKernel, GatherKernel, ScatterKernel, TileKernel,
                 RowKernel, FewColumnsKernel, ContractionKernel, AttentionKernel, AttentionGradientKernel>;

CheckedIndex checked_index_of(const Kernel& kernel);

/// What a kernel's value is written to. A sort may have a second, and expressions may store more (parts.hpp).
const Strided& output_of(const Kernel& kernel);

/// The users' operations in a kernel.
struct CustomText {
  std::string name, glsl;
};
std::vector<CustomText> custom_texts_of(const Kernel& kernel);

std::string describe(const Kernel& kernel);  ///< "map f32 (4096, 784): mul, add, exp of 3 operands"

}  // namespace eglantine

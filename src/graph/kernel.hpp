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
#include "graph/op.hpp"
#include "layout/reduce_tree.hpp"

/// A kernel is plain data: expressions, layouts, buffers. It is all that crosses the backend interface; every backend
/// runs the same kernels.
namespace eglantine {

class Buffer;
using BufferPtr = std::shared_ptr<Buffer>;

struct ElementwiseOp;
struct ReduceOp;
/// Users' operations, shared by the nodes and kernels that use them.
using ElementwiseOpPtr = std::shared_ptr<const ElementwiseOp>;
using ReduceOpPtr = std::shared_ptr<const ReduceOp>;

/// A strided reading (or writing) of a buffer over a domain. The layout's shape is the domain's; its offset is from the
/// buffer's start.
struct Strided {
  BufferPtr buffer;
  DType dtype;
  Layout layout;
};
/// Bytes that an element takes in its buffer: 4, or 1 of a packed boolean.
int64_t element_bytes(const Strided& x);

/// One step of an expression. `args` are numbers of earlier instructions, or an index into the expression's tables (see
/// Op). Unused ones are -1. dtype is the dtype of the result; the dtype of an argument is that of the instruction it
/// names.
struct Instruction {
  Op op;
  DType dtype;
  std::array<int32_t, 3> args{-1, -1, -1};
};

/// Operands of a user's operation at most.
inline constexpr int max_custom_arity = 8;

/// A user's operation applied to earlier instructions: Op::custom. f32 throughout.
struct CustomCall {
  ElementwiseOpPtr op;
  std::vector<int32_t> args;
};

/// An element-wise program in single-assignment form over a domain: the last instruction is its value, and others may
/// be stored as well, each into an operand of its own that nothing reads; no two coordinates are stored to one element.
/// Its axes are collapsed: rank >= 1, no axis of length 1 unless it is the only one, neighbours merged where every
/// layout allows.
struct Expr {
  Shape domain;
  std::vector<Strided> operands;
  std::vector<Layout> iotas;
  std::vector<uint32_t> parameters;  ///< bits, of the dtype that the parameter's instruction says
  std::vector<Instruction> code;
  std::vector<CustomCall> calls = {};  ///< of Op::custom
  std::vector<size_t> stored = {};     ///< operands of Op::store, the only ones that are written

  bool stores(size_t operand) const { return std::find(stored.begin(), stored.end(), operand) != stored.end(); }
  DType dtype() const { return code.back().dtype; }
};

/// out[i] = value(i) for each coordinate i of value.domain. out.layout is over that domain: contiguous in most kernels,
/// strided when a piece of a concatenation or the middle of a padded tensor is written. No two coordinates write one
/// element, and no operand shares out's buffer. Only a map that is contiguous from its buffer's start may write a
/// packed one.
struct MapKernel {
  Expr value;
  Strided out;
};

/// out[o] = epilogue(accumulator = combine over r of prologue(k, r)), o the row-major number of the kept coordinates k.
/// prologue.domain: `kept_rank` collapsed kept axes, then the reduced axes in the tree's order. (kept_rank may be 0;
/// there is at least one reduced axis; no length is 0.) The order of combination is that of `tree`, exactly
/// (layout/reduce_tree.hpp). argmax and argmin give the row-major number of r as i32. epilogue.domain has as many
/// elements as there are kept coordinates, in the same order.
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
/// n). Layouts of a: (batch..., m, k); of b: (batch..., k, n); any strides, batch axes broadcast by stride 0. k may be
/// 0: the accumulator is 0 then.
struct MatmulKernel {
  Shape batch;  ///< may be empty
  int64_t m = 0, n = 0, k = 0;
  Strided a, b;
  Expr epilogue;  ///< domain has batch * m * n elements, in the same order
  Strided out;    ///< contiguous over epilogue.domain
};

/// out[c] = epilogue(accumulator = prologue[c'] combined over the coordinates c' up to c along the last axis of the
/// domain), from the first on; without c itself, and starting with the identity, when exclusive. A scan from the end
/// has layouts that walk the axis backwards. Sums, products, largest, smallest, or a user's operation. Everything is
/// over one domain: `kept_rank` collapsed axes (may be 0), then the scanned axis, longer than 1.
struct ScanKernel {
  Expr prologue;
  int kept_rank = 0;
  Reduction reduction;
  bool exclusive = false;
  Expr epilogue;
  Strided out;  ///< any strides
  ReduceOpPtr custom = nullptr;
};

/// Sorts the rows of keys (the last axis of their domain, after `kept_rank` collapsed ones, longer than 1), stably:
/// equal keys keep their order, NaN comes last both ways, -0 equals +0, false comes before true. The first `keep` of
/// each row are written: the keys, what lay at their places (the payload, or without one the place itself as i32), or
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
};

/// What an index out of range is told with (graph/index_check.hpp).
struct IndexCheck {
  std::string function;
  Shape shape;    ///< of what is indexed
  int axis = 0;   ///< of that shape
  Shape indices;  ///< the index tensor's own shape; fewer than 2^32 - 1 elements
  Layout place;   ///< over the kernel's domain: the row-major number in the index tensor
};

/// out[c] = epilogue(accumulator = the source's element at source.layout(c) + i * stride), i = index[c], an i32 that
/// counts from the end when negative. An index outside [-length, length) makes the kernel fail with IndexError; nothing
/// outside the source is read.
struct GatherKernel {
  Expr index;
  Strided source;  ///< over the domain: the element at place 0 of the axis
  int64_t length = 0, stride = 0;
  Expr epilogue;
  Strided out;  ///< contiguous
  IndexCheck check;
};

/// out[target(c) + i * stride] = updates[c] (or, with `add`, += it), i = index[c], for c in row-major order: of several
/// updates to one element the last wins. `out` holds the values to start from. With `distinct`, no two go to one place.
/// An index outside [-length, length) makes the kernel fail with IndexError; nothing outside out is written. With
/// `partial`, the index `length` is none of these: it drops its update. Floats are added in an order that depends on
/// the indices and the shapes alone. check.place numbers the updates row-major.
struct ScatterKernel {
  Expr index;
  Expr updates;   ///< over index.domain
  Layout target;  ///< over index.domain: the element at place 0 of the axis
  int64_t length = 0, stride = 0;
  bool add = false, distinct = false, partial = false;
  Strided out;  ///< contiguous; read and written
  IndexCheck check;
};

/// out[t] = epilogue(accumulator = prologue combined over the elements of tile t), for each coordinate t of
/// epilogue.domain: the grid of ceil(length / tile) tiles along each axis of the prologue's domain, of which the last
/// may be smaller. The axes are in the order of memory, the innermost last; those of length 1 are dropped, and an axis
/// along which tiles are whole is merged with the one before it where memory allows.
struct TileKernel {
  Expr prologue;
  Shape tile;  ///< of the prologue's rank; no longer than its domain
  Reduction reduction;
  Expr epilogue;
  Strided out;  ///< any strides
  ReduceOpPtr custom = nullptr;
};

/// What is made of a row x of n elements, n > 1. m is its largest element, or 0 where that is an infinity.
enum class RowOp : uint8_t {
  softmax,      ///< exp(x - m) / s with s = sum(exp(x - m))
  log_softmax,  ///< (x - m) - log(s)
  logsumexp,    ///< log(s) + m, one for the row
  var,          ///< sum((x - mean)^2) / n, one for the row
};
constexpr std::array<std::string_view, 4> row_op_names{"softmax", "log_softmax", "logsumexp", "var"};
constexpr std::string_view name_of(RowOp op) { return row_op_names[static_cast<size_t>(op)]; }
/// Whether a row becomes one number.
constexpr bool reduces(RowOp op) { return op == RowOp::logsumexp || op == RowOp::var; }

/// out[c] = epilogue(accumulator = op of the row of prologue that c is in), c in one domain: `kept_rank` collapsed axes
/// (may be 0), then those of a row. Where the op reduces, epilogue and out have stride 0 along a row. f32.
struct RowKernel {
  Expr prologue;
  int kept_rank = 0;
  RowOp op;
  Expr epilogue;
  Strided out;
  /// Neighbouring rows are worked through side by side, which is faster where they lie so in memory. It decides the
  /// order in which a row is summed up, so it follows from how the rows were made, not from where they lie by now. Only
  /// where kept_rank > 0.
  bool strided = false;
};
/// The epilogue and the output of an op that reduces, over the rows alone: axes of length 1 stand for those of a row.
Expr epilogue_of_rows(const RowKernel& kernel);
Strided output_of_rows(const RowKernel& kernel);

using Kernel = std::variant<MapKernel, ReduceKernel, MatmulKernel, ScanKernel, SortKernel, GatherKernel, ScatterKernel,
                            TileKernel, RowKernel>;

/// What a kernel's value is written to. A sort may have a second, and expressions may store more (kernel_parts.hpp).
const Strided& output_of(const Kernel& kernel);

/// The users' operations in a kernel.
struct CustomText {
  std::string name, glsl;
};
std::vector<CustomText> custom_texts_of(const Kernel& kernel);

/// One line: "map f32 (4096, 784): mul, add, exp of 3 operands".
std::string describe(const Kernel& kernel);

}  // namespace eglantine

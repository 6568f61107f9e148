#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eglantine/device.hpp"
#include "eglantine/dtype.hpp"
#include "eglantine/shape.hpp"

namespace eglantine {

class Index;
class Operand;
class Node;
using NodePtr = std::shared_ptr<const Node>;

/// An n-dimensional array on a device, of rank 0 to 8. A Tensor is a cheap handle to a value that never changes; copies
/// share it, on any thread. Verbs only describe: kernels run when a value is read, or on eval(). A default-constructed
/// one, or one that was moved from, is no tensor: whatever is asked of it, but defined(), throws Error.
class EGLANTINE_API Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  Tensor& operator=(const Tensor&) & = default;  ///< not of a temporary, so that x.slice(0, 0) = y does not compile
  Tensor& operator=(Tensor&&) & = default;
  ~Tensor() = default;

  /// Whether this is a tensor.
  bool defined() const { return node_ != nullptr; }
  explicit operator bool() const = delete;  // write all(x == y).item<bool>(), array_equal(x, y), or x.defined()

  /// Copies `values` to the device. Their count must be that of the shape, else ShapeError. T gives the dtype: float,
  /// half, bfloat16, int8_t, uint8_t, int32_t, uint32_t and bool their own; double f32 (nearest), other signed integers
  /// i32 and other unsigned ones u32; a value that does not fit there is a DTypeError that names it. Another T is a
  /// compiler's error that says so. With column_major the first axis varies fastest in `values`.
  template <class T>
  static Tensor from(std::span<const T> values, Shape shape, const Device& device = Device::current(),
                     MemoryOrder order = MemoryOrder::row_major) {
    require_from<T>();
    return from_span(values, shape, device, order);
  }
  template <class T>
  requires(!std::is_const_v<T>) static Tensor
      from(std::span<T> values, Shape shape, const Device& device = Device::current(),
           MemoryOrder order = MemoryOrder::row_major) {
    require_from<T>();
    return from_span(std::span<const T>(values), shape, device, order);
  }
  template <class T>
  static Tensor from(const std::vector<T>& values, Shape shape, const Device& device = Device::current(),
                     MemoryOrder order = MemoryOrder::row_major) {
    require_from<T>();
    if constexpr (std::is_same_v<T, bool>)
      return from_booleans(values, shape, device, order);
    else
      return from_span(std::span<const T>(values), shape, device, order);
  }
  template <class T>
  static Tensor from(std::initializer_list<T> values, Shape shape, const Device& device = Device::current(),
                     MemoryOrder order = MemoryOrder::row_major) {
    require_from<T>();
    return from_span(std::span<const T>(values.begin(), values.size()), shape, device, order);
  }

  /// A scalar (rank 0, f32) on the current device.
  explicit Tensor(float value);

  const Shape& shape() const&;
  Shape shape() && { return shape(); }  ///< a copy: a temporary's own shape would go with it
  int rank() const;
  int64_t size() const;
  DType dtype() const;
  Device device() const;

  /// The elements in row-major order. Computes and waits. T, one of from()'s, holds every value of the dtype (f16 goes
  /// into float, i32 into int64_t or double), else DTypeError. Throws OutOfMemoryError when the host has no room for
  /// them, and whatever error the kernels met.
  template <class T>
  std::vector<T> to_vector() const {
    require_read<T>();
    return read_vector<T>();
  }
  /// The only element. Throws ShapeError when there is not exactly one.
  template <class T>
  T item() const {
    require_read<T>();
    return read_item<T>();
  }
  /// The elements into `out`, whose length must be size(), else ShapeError.
  template <class T>
  void copy_to(std::span<T> out, MemoryOrder order = MemoryOrder::row_major) const {
    require_read<T>();
    read_to(out, order);
  }

  /// The same values on another device, by way of the host, which waits for them; itself when it is there already.
  /// Derivatives go through it.
  Tensor to(const Device& device) const;
  /// The values converted. Float to integer truncates toward zero and saturates, NaN gives 0; an integer that a
  /// narrower or unsigned one does not hold wraps; to boolean is x != 0. To a float the nearest, ties to even, beyond
  /// the largest an infinity; i32 and u32 go to bf16 by way of f32.
  Tensor astype(DType dtype) const;

  /// How the elements lie in the buffer; a pending expression counts as contiguous.
  Layout layout() const;
  /// A view with any strides (elements), `offset` absolute in the buffer. A pending tensor is computed first.
  /// Inside a derivative layout() and as_strided() see the same buffer as outside. A cotangent goes to the elements of
  /// the inputs that lie where it reads, of those at one address (of a repeated axis) to the last; what else the buffer
  /// holds counts as constant. Inside vmap a slice lies by itself. Throws ShapeError when it reaches outside the
  /// buffer.
  Tensor as_strided(Shape shape, std::vector<int64_t> strides, int64_t offset = 0) const;
  /// Starts computing; waits only while the device is behind by 1024 kernels, or by a GiB of results. Of a temporary a
  /// handle to the same value, so that `const Tensor& y = (x + 1).eval()` is safe.
  const Tensor& eval() const&;
  Tensor eval() &&;

  // Movement: views, on computed tensors and on pending expressions, which every kernel that reads them reads in place.
  // A padded tensor alone is written before products and gathers (as their source) read it. Each is also a free
  // function.

  /// The same elements in another shape; one length may be -1 and is inferred. Throws ShapeError when the counts
  /// differ.
  Tensor reshape(Shape shape) const;
  /// Axis i of the result is axis axes[i] of this. Throws ShapeError unless axes is a permutation.
  Tensor permute(Axes axes) const;
  /// Two axes swapped.
  Tensor transpose(int a, int b) const;
  /// Repeats axes of length 1, and adds axes in front, to reach `shape`; nothing is copied.
  Tensor expand(Shape shape) const;
  /// Drops axes of length 1: those named, or all. Throws ShapeError when a named one is longer.
  Tensor squeeze(Axes axes = {}) const;
  /// Adds an axis of length 1 before `axis` (of the result).
  Tensor unsqueeze(int axis) const;
  /// Reverses the axes named; `{}` reverses all.
  Tensor flip(Axes axes) const;
  /// Adds before_after[i] elements of `value` to the ends of axis i. Fuses into the kernels that read it, which read
  /// this tensor's elements in place, computing them on the way when they are pending; evaluated alone it is one
  /// kernel. movement.hpp has other modes than a value. Throws ShapeError for a negative count or a wrong number of
  /// pairs.
  Tensor pad(std::vector<std::pair<int64_t, int64_t>> before_after, float value = 0) const;
  /// Elements start <= i < stop of each axis. Throws ShapeError for a wrong number of pairs, IndexError outside [0,
  /// length] or start > stop.
  Tensor crop(std::vector<std::pair<int64_t, int64_t>> start_stop) const;
  /// The elements at start, start + step, ... of an axis: before stop, or after it where step < 0; none where start is
  /// there already. A negative start or stop counts from the end; an absent stop is the end in the step's direction. As
  /// Python's x[start:stop:step], but what lies outside the axis is an error and is not cut to it: IndexError unless
  /// start and stop lie in [-length, length] (with step < 0 stop may be -length - 1, before the first element, and a
  /// start of length is the last one), and for a step of 0.
  Tensor slice(int axis, int64_t start, std::optional<int64_t> stop = {}, int64_t step = 1) const;

  // Indexing as NumPy's (index.hpp). Each index takes the next axis, but for newaxis, which adds one of length 1, and
  // ellipsis, which stands for as many whole axes as are left; what no index names is whole. Integers and slices give
  // views. Tensors broadcast together and read elements: their axes stand where the first of them stands if nothing
  // else stands between them, else in front.

  /// x[3], x[Slice{1, 5}], x[mask]; as (*this)(index).
  Tensor operator[](const Index& index) const;
  /// x(0, Slice{{}, {}, -1}, newaxis, ellipsis).
  template <class... Indices>
  Tensor operator()(const Indices&... indices) const;
  /// The elements that the indices name. An integer or the elements of an i32 tensor count from the end if negative; a
  /// boolean tensor takes as many axes as it has and names where it is true, which waits for it. A view where only
  /// integers, slices, newaxis and ellipsis stand. Throws ShapeError (more indices than axes, two ellipses, tensors
  /// that do not broadcast, a mask of another shape than its axes), DTypeError (an index of another dtype), IndexError
  /// (out of range; of tensors on reading the result at the latest).
  Tensor index(const std::vector<Index>& indices) const;
  /// This tensor with the elements that the indices name replaced by `value`, which broadcasts to the shape that
  /// index(indices) has and is converted to this dtype where the two meet in it; of several writes to one element the
  /// last in row-major order wins. Of integers and slices one kernel, which writes in place where nothing else holds
  /// this tensor when it is submitted and value reads nothing of its memory: `x = x.index_put({Slice{1, -1}}, y)` in a
  /// loop copies nothing. Throws as index(), ShapeError where value does not broadcast, DTypeError where its dtype does
  /// not convert.
  Tensor index_put(const std::vector<Index>& indices, const Operand& value) const;
  /// As index_put, but adds value to the elements, as often as an element is named. Not of booleans: DTypeError.
  Tensor index_put_add(const std::vector<Index>& indices, const Operand& value) const;

  /// For the library's own use.
  explicit Tensor(NodePtr node) : node_(std::move(node)) {}
  const NodePtr& node() const {
    if (node_ == nullptr) fail_undefined();
    return node_;
  }

 private:
  template <class T>
  static constexpr void require_from() {
    static_assert(HostNumber<T>,
                  "Tensor::from takes float, double, half, bfloat16, bool and integers of 8 to 64 bits: name the type "
                  "as in Tensor::from<float>({1, 2.5}, {2}), or convert the values first");
  }
  template <class T>
  static constexpr void require_read() {
    static_assert(HostNumber<T>,
                  "to_vector, item and copy_to read float, double, half, bfloat16, bool and integers of 8 to 64 bits, "
                  "whichever holds the tensor's values: read that, as in x.item<float>(), and convert it then");
  }
  template <class T>
  static Tensor from_span(std::span<const T> values, const Shape& shape, const Device& device, MemoryOrder order);
  static Tensor from_booleans(const std::vector<bool>& values, const Shape& shape, const Device& device,
                              MemoryOrder order);
  template <class T>
  std::vector<T> read_vector() const;
  template <class T>
  T read_item() const;
  template <class T>
  void read_to(std::span<T> out, MemoryOrder order) const;
  [[noreturn]] static void fail_undefined();

  NodePtr node_;
};

/// The values in NumPy's way, rows in brackets, abbreviated with "..." when there are more than 1000. A float has the
/// fewest digits that tell it from its dtype's others: 0.1 of f16 prints as 0.1.
EGLANTINE_API std::ostream& operator<<(std::ostream& out, const Tensor& x);

/// Starts computing several tensors together, so that what they share is computed once; waits as above.
EGLANTINE_API void eval(std::initializer_list<Tensor> tensors);
EGLANTINE_API void eval(const std::vector<Tensor>& tensors);

/// The kernels that computing x would run, one a paragraph, with their GLSL where x is on a GL device. Runs nothing.
EGLANTINE_API std::string explain(const Tensor& x);

}  // namespace eglantine

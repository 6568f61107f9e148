#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "eglantine/tensor.hpp"

/// Shapes: joining, cutting, and views of the same elements.
namespace eglantine {

/// Joined along `axis`; all other lengths are equal. A tensor of its own, made by a kernel for each of the tensors,
/// which computes it on the way when it is pending; what reads the result does not fuse with them. Throws ShapeError
/// when lengths differ, or nothing is given. Every dtype; of several, as result_type.
EGLANTINE_API Tensor concatenate(const std::vector<Tensor>& tensors, int axis);

/// Joined along a new axis before `axis` (of the result), as concatenate joins. All shapes are equal, else ShapeError.
EGLANTINE_API Tensor stack(const std::vector<Tensor>& tensors, int axis);

/// Cut along `axis` into `parts` views of one length. Throws ShapeError when the length is no multiple of parts.
EGLANTINE_API std::vector<Tensor> split(const Tensor& x, int64_t parts, int axis);

/// Cut along `axis` into views of these lengths, which add up to the axis's, else ShapeError.
EGLANTINE_API std::vector<Tensor> split_with_sizes(const Tensor& x, const std::vector<int64_t>& sizes, int axis);

/// The slices along `axis`, without it: views. Throws ShapeError for a scalar.
EGLANTINE_API std::vector<Tensor> unstack(const Tensor& x, int axis = 0);

/// Joined along axis 1, tensors of rank 1 along axis 0; as concatenate.
EGLANTINE_API Tensor hstack(const std::vector<Tensor>& tensors);

/// Joined along axis 0, tensors of rank 1 as rows; as concatenate.
EGLANTINE_API Tensor vstack(const std::vector<Tensor>& tensors);

/// Axes first to last as one; a scalar becomes (1,). Throws ShapeError when first comes after last, and for an axis too
/// long to address.
EGLANTINE_API Tensor flatten(const Tensor& x, int first = 0, int last = -1);

/// All elements along one axis, row-major.
EGLANTINE_API Tensor ravel(const Tensor& x);

/// Axis from[i] of x is axis to[i] of the result; the others keep their order. Throws ShapeError unless there are as
/// many of either.
EGLANTINE_API Tensor moveaxis(const Tensor& x, Axes from, Axes to);

/// Two axes swapped. Throws ShapeError for a scalar.
EGLANTINE_API Tensor swapaxes(const Tensor& x, int a, int b);

/// Turned `count` times by 90 degrees from the first axis named toward the second. Throws ShapeError unless two
/// different axes are named.
EGLANTINE_API Tensor rot90(const Tensor& x, int64_t count = 1, Axes axes = {0, 1});

/// Elements moved along axes: what is pushed past the end comes back at the start. Element i goes to (i + shifts[k])
/// mod length along axes[k]; shifts may be negative, and longer than the axis. One shift moves along all axes named,
/// several shifts along one axis add up, as those of an axis named twice. Without axes the flattened tensor is rolled.
/// Read in place, as Tensor::pad. Any dtype. Throws ShapeError unless there are as many shifts as axes, or one of
/// either.
EGLANTINE_API Tensor roll(const Tensor& x, Axes shifts, Axes axes = {});

/// A view of every window of sizes[k] elements along axes[k], steps[k] apart; neighbours in a window lie dilations[k]
/// apart. The axes named are now the places of windows, (length - (size - 1) * dilation - 1) / step + 1 of them, and
/// one axis of each size follows behind all others. `{}` names every axis; steps and dilations are 1 where not given.
/// An axis named again cuts its windows' places into windows. Any dtype. As NumPy's sliding_window_view with steps and
/// dilations; `windows(x, {2, 3}, {2, 2}, {2, 2})` is what a pool of (n, channels, height, width) reduces.
/// Throws ShapeError for an axis out of range, a size, step or dilation below 1, a wrong number of them, a window
/// longer than its axis, more than 8 axes, and more elements than can be addressed.
EGLANTINE_API Tensor windows(const Tensor& x, Axes axes, const std::vector<int64_t>& sizes,
                             const std::vector<int64_t>& steps = {}, const std::vector<int64_t>& dilations = {});

/// What stands past the ends of an axis a b c d: a number (0 0|a b c d|0 0); the axis mirrored at its end elements
/// (c b|a b c d|c b), again and again where that is too short; its end elements (a a|a b c d|d d); the axis again and
/// again (c d|a b c d|a b).
enum class PadMode { constant, reflect, edge, wrap };

/// Adds before_after[i] elements to the ends of axis i: of `value`, or as `mode` takes them from x, axis by axis. Read
/// in place, as Tensor::pad. The modes of NumPy's pad; an axis of one element is reflected as itself. Any dtype. Throws
/// ShapeError for a negative count, a wrong number of pairs, and, but for PadMode::constant, where an axis without
/// elements is to grow; Error for a mode that is none of these.
EGLANTINE_API Tensor pad(const Tensor& x, std::vector<std::pair<int64_t, int64_t>> before_after, PadMode mode,
                         float value = 0);

// A tensor of its own, written by one kernel that computes x on the way when it is pending; what reads the result does
// not fuse with it.

/// Each element `count` times in turn along `axis`. Throws ShapeError for a negative count, and for more elements than
/// can be addressed.
EGLANTINE_API Tensor repeat(const Tensor& x, int64_t count, int axis);

/// The whole of each axis counts[i] times; counts are of the last axes, and axes come in front where there are more.
/// A kernel more where 8 axes do not hold x's and one for each count but 1. Throws ShapeError for a negative count,
/// more than 8 counts, and more elements than can be addressed.
EGLANTINE_API Tensor tile(const Tensor& x, const std::vector<int64_t>& counts);

// Views.

/// As expand; and several tensors in the shape that they broadcast to.
EGLANTINE_API Tensor broadcast_to(const Tensor& x, Shape shape);
EGLANTINE_API std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors);

/// With axes of length 1 added to have that rank: in front, and for atleast_3d of rank 2 or less one behind, as NumPy.
EGLANTINE_API Tensor atleast_1d(const Tensor& x);
EGLANTINE_API Tensor atleast_2d(const Tensor& x);
EGLANTINE_API Tensor atleast_3d(const Tensor& x);

// The members of Tensor as free functions.

EGLANTINE_API Tensor reshape(const Tensor& x, Shape shape);
EGLANTINE_API Tensor permute(const Tensor& x, Axes axes);
EGLANTINE_API Tensor transpose(const Tensor& x, int a, int b);
EGLANTINE_API Tensor expand(const Tensor& x, Shape shape);
EGLANTINE_API Tensor squeeze(const Tensor& x, Axes axes = {});
EGLANTINE_API Tensor unsqueeze(const Tensor& x, int axis);
EGLANTINE_API Tensor flip(const Tensor& x, Axes axes);
EGLANTINE_API Tensor pad(const Tensor& x, std::vector<std::pair<int64_t, int64_t>> before_after, float value = 0);
EGLANTINE_API Tensor crop(const Tensor& x, std::vector<std::pair<int64_t, int64_t>> start_stop);
EGLANTINE_API Tensor slice(const Tensor& x, int axis, int64_t start, std::optional<int64_t> stop = {},
                           int64_t step = 1);
EGLANTINE_API Tensor astype(const Tensor& x, DType dtype);

}  // namespace eglantine

#pragma once

#include <utility>
#include <vector>

#include "eglantine/tensor.hpp"

/// Movement beyond the shape: what lies past the ends of an axis, and windows of its elements.
namespace eglantine {

/// What stands past the ends of an axis a b c d: a number (0 0|a b c d|0 0); the axis mirrored at its end elements
/// (c b|a b c d|c b), again and again where that is too short; its end elements (a a|a b c d|d d); the axis again and
/// again (c d|a b c d|a b).
enum class PadMode { constant, reflect, edge, wrap };

/// Adds before_after[i] elements to the ends of axis i: of `value`, or as `mode` takes them from x, axis by axis. The
/// modes of NumPy's pad; an axis of one element is reflected as itself. Any dtype. Throws ShapeError for a negative
/// count, a wrong number of pairs, and, but for PadMode::constant, where an axis without elements is to grow.
EGLANTINE_API Tensor pad(const Tensor& x, std::vector<std::pair<int64_t, int64_t>> before_after, PadMode mode,
                         float value = 0);

/// Elements moved along axes: what is pushed past the end comes back at the start. Element i goes to (i + shifts[k])
/// mod length along axes[k]; shifts may be negative, and longer than the axis. One shift moves along all axes named,
/// several shifts along one axis add up, as those of an axis named twice. Without axes the flattened tensor is rolled.
/// Any dtype. Throws ShapeError unless there are as many shifts as axes, or one of either.
EGLANTINE_API Tensor roll(const Tensor& x, Axes shifts, Axes axes = {});

/// A view of every window of sizes[k] elements along axes[k], steps[k] apart; neighbours in a window lie dilations[k]
/// apart. The axes named are now the places of windows, (length - (size - 1) * dilation - 1) / step + 1 of them, and
/// one axis of each size follows behind all others. `{}` names every axis; steps and dilations are 1 where not given.
/// An axis named again cuts its windows' places into windows. Any dtype. As NumPy's sliding_window_view with steps and
/// dilations; `windows(x, {2, 3}, {2, 2}, {2, 2})` is what a pool of (n, channels, height, width) reduces.
/// Throws ShapeError for a size, step or dilation below 1, a wrong number of them, a window longer than its axis, and
/// more than 8 axes.
EGLANTINE_API Tensor windows(const Tensor& x, Axes axes, const std::vector<int64_t>& sizes,
                             const std::vector<int64_t>& steps = {}, const std::vector<int64_t>& dilations = {});

}  // namespace eglantine

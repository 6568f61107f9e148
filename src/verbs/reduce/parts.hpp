#pragma once

#include <cstdint>
#include <optional>

#include "verbs/build.hpp"

/// Rows that are too long for a kernel, as parts of equal lengths that it takes: chosen from lengths, which axes are
/// reduced, and what a device has of them at a time.
namespace eglantine::verbs {

inline constexpr int64_t vector_width = 4;  // of an aligned load

/// Rows along `inner`, which a kernel takes, and what is left of the long rows' axes, `outer`, before them.
struct Parts {
  Tensor x;
  Axes inner, outer;
};

/// x's rows along `axes` (f32) cut into parts of equal lengths; nothing where a kernel takes them whole, or where no
/// divisor of an axis gives parts of a useful length.
std::optional<Parts> parts_of(const Tensor& x, const Axes& axes);

/// The same of rows that may be whole: takes axes from the last on; the one that does not fit is cut in two. Nothing
/// where the parts would be too short.
std::optional<Parts> cut(const Tensor& x, const Axes& axes);

/// Whether one kernel joins the parts of each row.
bool are_joined_at_once(const Parts& parts);

/// Whether parts_of() gives as few parts as a kernel joins.
bool has_few_parts(const Tensor& x, const Axes& axes);

bool are_columns(const Tensor& x, const Axes& axes);

/// Whether a kernel takes x's rows whole, if there are any.
bool is_whole(const Tensor& x, const Axes& axes);

/// The longest part of columns, `length` long in all. Few columns fill a device by parts alone (of 24 in 168,400 rows
/// parts of 3,368 gave 19 groups of a kernel); parts of half that length are still as few as a kernel joins.
int64_t longest_part_of_columns(const Tensor& x, int64_t length);

}  // namespace eglantine::verbs

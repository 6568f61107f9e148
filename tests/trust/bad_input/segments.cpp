#include "eglantine/verbs/segments.hpp"

#include "trust/bad_input/row.hpp"

/// Segments, and coordinates in the last axis of an index.
namespace eglantine::test::bad_input {
namespace {

Tensor segment_ids(const std::vector<int32_t>& values, const Shape& shape) { return Tensor::from(values, shape); }
Tensor places_of_segments(const Shape& shape) { return zeros(shape, DType::i32); }

void add_indices_of(Rows& rows, const std::string& name, const OfTwo& call) {
  for (DType dtype : {DType::f32, DType::u32, DType::boolean})
    rows.push_back(row<DTypeError>(
        name, "indices of " + std::string(name_of(dtype)), [=] { return call(of({3}), zeros({3}, dtype)); },
        "[" + name + "] indices are i32, got " + std::string(name_of(dtype)) + "; convert with astype"));
  rows.push_back(row<ShapeError>(
      name, "too many indices", [=] { return call(of({3}), places_of_segments({1}).expand({int64_t{1} << 32})); },
      "[" + name + "] (4294967296,) has more than 2^32 - 2 indices; work on parts of it"));
  add_two_devices(rows, name, call, DType::i32);
  add_moved_from(rows, name, [=](const Tensor& x) { return call(x, places_of_segments({3})); });
  add_moved_from(rows, name, [=](const Tensor& x) { return call(of({3}), x); });
}

using Segment = Tensor (*)(const Tensor&, const Tensor&, int64_t);

void add_segment(Rows& rows, const std::string& name, Segment segment, Types taken) {
  const auto wrong = [&](const std::string& what, const Tensor& x, const Tensor& numbers, int64_t count,
                         const std::string& message) {
    rows.push_back(row<ShapeError>(
        name, what, [=] { return segment(x, numbers, count); }, "[" + name + "] " + message));
  };
  wrong("a scalar", of({}), places_of_segments({}), 3, "axis 0 of a scalar, which has no axes");
  wrong("a negative count", of({3}), places_of_segments({3}), -1, "a negative count: -1");
  wrong("a count beyond i32", of({3}), places_of_segments({3}), 3000000000,
        "a count of 3000000000: i32 segments reach 2^31 - 1");
  wrong("too few segments", of({3, 2}), places_of_segments({2}), 4,
        "the segments (2,) must be one for each slice of (3, 2) along axis 0, so (3,)");
  wrong("segments of rank 2", of({3, 2}), places_of_segments({3, 2}), 4,
        "the segments (3, 2) must be one for each slice of (3, 2) along axis 0, so (3,)");
  wrong("an overflowed product of sizes", huge({1, int64_t{1} << 40}), places_of_segments({1}), 1 << 30,
        "shape (1073741824, 1099511627776)" + too_many);
  for (int32_t number : {4, -5, INT32_MAX, INT32_MIN})
    rows.push_back(row<IndexError>(
        name, "the segment " + std::to_string(number),
        [=] {
          return segment(of({3, 2}) + 1, segment_ids({0, number, 0}, {3}), 4).to_vector<float>();
        },
        "[" + name + "] index " + std::to_string(number) + " at (1,) lies outside [-4, 4): axis 0 of (4, 2)"));
  rows.push_back(row<IndexError>(
      name, "no segments at all", [=] { return segment(of({1}), places_of_segments({1}), 0); },
      "[" + name + "] index 0 at (0,) lies outside [0, 0): axis 0 of (0,)"));
  const OfTwo call = [=](const Tensor& x, const Tensor& numbers) { return segment(x, numbers, 4); };
  if (taken == Types::numeric)
    add_dtypes(
        rows, name, [=](const Tensor& x) { return call(x, places_of_segments({3})); }, taken);
  add_indices_of(rows, name, call);
}

/// What all three have in common. call: with fitting updates, where it has any.
void add_coordinates(Rows& rows, const std::string& name, const OfTwo& call) {
  const auto wrong = [&](const std::string& what, const Tensor& x, const Tensor& indices, const std::string& message) {
    rows.push_back(row<ShapeError>(
        name, what, [=] { return call(x, indices); }, "[" + name + "] " + message));
  };
  wrong("no axis of coordinates", of({3}), places_of_segments({}), "the indices () lack an axis of coordinates");
  wrong("no coordinates", of({4, 5}), places_of_segments({3, 0}),
        "the last axis of the indices (3, 0) holds 0 coordinates, and (4, 5) has 2 axes for them: from 1 to 2 will do");
  wrong("too many coordinates", of({4, 5}), places_of_segments({3, 3}),
        "the last axis of the indices (3, 3) holds 3 coordinates, and (4, 5) has 2 axes for them: from 1 to 2 will do");
  wrong(
      "axes beyond i32", huge({65536, 65536}), places_of_segments({1, 2}),
      "the indexed axes of (65536, 65536) together are longer than i32 indices reach, 2^31 - 9; work on slices of it");
  const auto outside = [&](const std::vector<int32_t>& coordinates, const std::string& message) {
    rows.push_back(row<IndexError>(
        name, "a coordinate outside",
        [=] {
          return call(of({4, 5}) + 1, segment_ids(coordinates, {2, static_cast<int64_t>(coordinates.size()) / 2}))
              .to_vector<float>();
        },
        "[" + name + "] " + message));
  };
  outside({0, 0, 0, 5}, "the index at (1,) lies outside [-5, 5): axis 1 of (4, 5)");
  outside({INT32_MIN, 0, 0, 5}, "the index at (0,) lies outside [-4, 4): axis 0 of (4, 5)");
  outside({-4, INT32_MAX, 0, 0}, "the index at (0,) lies outside [-5, 5): axis 1 of (4, 5)");
  outside({3, -5}, "index -5 at (1,) lies outside [-4, 4): axis 0 of (4, 5)");
  add_indices_of(rows, name, call);
}

void add_gather_nd(Rows& rows) {
  add_coordinates(rows, "gather_nd", [](const Tensor& x, const Tensor& indices) { return gather_nd(x, indices); });
  const auto wrong = [&](const std::string& what, const Tensor& x, const Tensor& indices, int batch,
                         const std::string& message) {
    rows.push_back(row<ShapeError>(
        "gather_nd", what, [=] { return gather_nd(x, indices, batch); }, "[gather_nd] " + message));
  };
  wrong("a negative batch", of({4, 5}), places_of_segments({4, 1}), -1,
        "batch is -1, and must lie in [0, 1]: first axes that (4, 5) and the indices (4, 1) share");
  wrong("a batch of all axes", of({4, 5}), places_of_segments({4, 5}), 2,
        "batch is 2, and must lie in [0, 1]: first axes that (4, 5) and the indices (4, 5) share");
  wrong("batches that differ", of({4, 5}), places_of_segments({3, 1}), 1,
        "(4, 5) and the indices (3, 1) differ along axis 0, one of the 1 that they share");
  wrong("too many coordinates after a batch", of({4, 5}), places_of_segments({4, 2}), 1,
        "the last axis of the indices (4, 2) holds 2 coordinates, and (4, 5) has 1 axes for them after 1: from 1 to 1 "
        "will do");
  wrong("a result of rank 9", of({1, 1, 1, 1, 1}), places_of_segments({1, 1, 1, 1, 1, 1}), 0,
        "the coordinates (1, 1, 1, 1, 1, 1) in (1, 1, 1, 1, 1) make a rank above 8");
  wrong("an overflowed product of sizes", huge({2, int64_t{1} << 40}),
        places_of_segments({1, 1}).expand({int64_t{1} << 30, 1}), 0, "shape (1073741824, 1099511627776)" + too_many);
}

using Scatter = Tensor (*)(const Tensor&, const Tensor&, const Tensor&);

void add_scatter_nd(Rows& rows, const std::string& name, Scatter scatter) {
  add_coordinates(rows, name, [=](const Tensor& x, const Tensor& indices) {
    Shape shape;
    for (int i = 0; i + 1 < indices.rank(); ++i) shape.push_back(indices.shape()[i]);
    for (auto i = indices.rank() == 0 ? int64_t{1} : indices.shape()[indices.rank() - 1]; i < x.rank(); ++i)
      if (i >= 0) shape.push_back(x.shape()[static_cast<int>(i)]);
    return scatter(x, indices, zeros(shape, x.dtype(), x.device()));
  });
  const OfTwo with = [=](const Tensor& x, const Tensor& updates) {
    return scatter(x, places_of_segments({3, 1}), updates);
  };
  rows.push_back(row<ShapeError>(
      name, "updates of another shape",
      [=] {
        return scatter(of({4, 5}), places_of_segments({3, 1}), of({3, 4}));
      },
      "[" + name +
          "] the updates (3, 4) must have the axes of the indices (3, 1) without the last, then those of (4, 5) from "
          "axis 1 on"));
  add_differing_dtypes(rows, name, with);
  add_two_devices(rows, name, with);
  add_moved_from(rows, name, [=](const Tensor& x) { return with(of({3}), x); });
}

}  // namespace

void add_segments(Rows& rows) {
  add_segment(rows, "segment_sum", segment_sum, Types::any);
  add_segment(rows, "segment_max", segment_max, Types::numeric);
  add_gather_nd(rows);
  add_scatter_nd(rows, "scatter_nd", scatter_nd);
  add_scatter_nd(rows, "scatter_nd_add", scatter_nd_add);
  add_dtypes(
      rows, "scatter_nd_add",
      [](const Tensor& x) {
        return scatter_nd_add(x, places_of_segments({3, 1}), x);
      },
      Types::numeric);
  rows.push_back(row<ShapeError>(
      "scatter_nd_add", "too many elements",
      [] {
        return scatter_nd_add(huge({3, 2147483647}), places_of_segments({1, 1}), huge({1, 2147483647}));
      },
      "[scatter_nd_add] (3, 2147483647) has more than 2^32 - 2 elements; work on parts of it"));
}

}  // namespace eglantine::test::bad_input

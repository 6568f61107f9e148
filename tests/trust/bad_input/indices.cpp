#include "eglantine/verbs/segments.hpp"
#include "trust/bad_input/row.hpp"

/// Indexed reads and writes, selection by a mask. An index out of range is told when the result is read.
namespace eglantine::test::bad_input {
namespace {

Tensor ints(const std::vector<int32_t>& values, const Shape& shape) { return Tensor::from(values, shape); }
Tensor places(const Shape& shape) { return zeros(shape, DType::i32); }
constexpr int64_t long_index_axis = 3000000000;

/// What all four have in common: x, the axis, and the dtype and device of the indices.
void add_indexed(Rows& rows, const std::string& name,
                 const std::function<Tensor(const Tensor&, const Tensor&, int)>& call) {
  add_axis(rows, name, [=](const Tensor& x, int axis) { return call(x, places({2, 3}), axis); });
  for (DType dtype : {DType::f32, DType::u32, DType::boolean})
    rows.push_back(row<DTypeError>(
        name, "indices of " + std::string(name_of(dtype)), [=] { return call(of({3}), zeros({3}, dtype), 0); },
        "[" + name + "] indices are i32, got " + std::string(name_of(dtype)) + "; convert with astype"));
  rows.push_back(row<ShapeError>(
      name, "an axis beyond i32", [=] { return call(huge({long_index_axis}), places({1}), 0); },
      "[" + name + "] axis 0 of (3000000000,) is longer than i32 places reach, 2^31 - 1; work on slices of it"));
  rows.push_back(row<ShapeError>(
      name, "too many indices", [=] { return call(of({3}), places({}).expand({int64_t{1} << 32}), 0); },
      "[" + name + "] (4294967296,) has more than 2^32 - 2 indices; work on parts of it"));
  add_two_devices(
      rows, name, [=](const Tensor& x, const Tensor& y) { return call(x, y, 0); }, DType::i32);
  add_moved_from(rows, name, [=](const Tensor& x) { return call(x, places({3}), 0); });
  add_moved_from(rows, name, [=](const Tensor& x) { return call(of({3}), x, 0); });
  for (int32_t index : {3, -4, INT32_MAX, INT32_MIN})
    rows.push_back(row<IndexError>(
        name, "the index " + std::to_string(index),
        [=] {
          return call(of({3}) + 1, ints({0, index, 0}, {3}), 0).to_vector<float>();
        },
        "[" + name + "] index " + std::to_string(index) + " at (1,) lies outside [-3, 3): axis 0 of (3,)"));
  rows.push_back(row<IndexError>(
      name, "an index into nothing", [=] { return call(of({0}), places({1}), 0); },
      "[" + name + "] index 0 at (0,) lies outside [0, 0): axis 0 of (0,)"));
}

/// The index tensors of gather and scatter lie within x.
void add_within(Rows& rows, const std::string& name, const std::function<Tensor(const Tensor&, const Tensor&)>& call) {
  rows.insert(rows.end(),
              {row<ShapeError>(
                   name, "an index of another rank",
                   [=] {
                     return call(of({4, 5}), places({4}));
                   },
                   "[" + name + "] the index (4,) must have the rank of (4, 5)"),
               row<ShapeError>(
                   name, "an index longer than x",
                   [=] {
                     return call(of({4, 5}), places({9, 6}));
                   },
                   "[" + name + "] the index (9, 6) is longer than (4, 5) along axis 1: only along axis 0 may it be")});
}

void add_scatter(Rows& rows, const std::string& name,
                 Tensor (*scatter)(const Tensor&, int, const Tensor&, const Tensor&)) {
  const auto call = [=](const Tensor& x, const Tensor& index, int axis) {
    return scatter(x, axis, index, ones(index.shape(), x.dtype(), x.device()));
  };
  add_indexed(rows, name, call);
  add_within(rows, name, [=](const Tensor& x, const Tensor& index) { return call(x, index, 0); });
  const auto with = [=](const Tensor& x, const Tensor& updates) { return scatter(x, 0, places({3}), updates); };
  rows.insert(rows.end(), {row<ShapeError>(
                               name, "updates of another shape", [=] { return with(of({3}), of({2})); },
                               "[" + name + "] the index (3,) and the updates (2,) must have one shape"),
                           row<ShapeError>(
                               name, "updates that would broadcast", [=] { return with(of({3}), of({})); },
                               "[" + name + "] the index (3,) and the updates () must have one shape")});
  add_differing_dtypes(rows, name, with);
  add_two_devices(rows, name, with);
  add_moved_from(rows, name, [=](const Tensor& x) { return with(of({3}), x); });
}

void add_take_along_axis(Rows& rows) {
  const auto call = [](const Tensor& x, const Tensor& index, int axis) { return take_along_axis(x, index, axis); };
  add_indexed(rows, "take_along_axis", call);
  rows.insert(rows.end(),
              {row<ShapeError>(
                   "take_along_axis", "an index of another rank",
                   [=] {
                     return call(of({4, 5}), places({4}), 0);
                   },
                   "[take_along_axis] the index (4,) must have the rank of (4, 5)"),
               row<ShapeError>(
                   "take_along_axis", "lengths that do not broadcast",
                   [=] {
                     return call(of({4, 5}), places({9, 6}), 0);
                   },
                   "[take_along_axis] the index (9, 6) and (4, 5) do not broadcast along axis 1: only along axis 0 may "
                   "any lengths differ")});
}

void add_index_add(Rows& rows) {
  const auto call = [](const Tensor& x, const Tensor& indices, int axis) {
    Shape shape = x.shape();
    shape[axis < 0 ? axis + shape.rank() : axis] = indices.size();
    return index_add(x, axis, indices, zeros(shape, x.dtype(), x.device()));
  };
  const auto with = [](const Tensor& x, const Tensor& updates) { return index_add(x, 0, places({3}), updates); };
  add_axis(rows, "index_add", [](const Tensor& x, int axis) { return index_add(x, axis, places({2}), x); });
  for (DType dtype : {DType::f32, DType::u32, DType::boolean})
    rows.push_back(row<DTypeError>(
        "index_add", "indices of " + std::string(name_of(dtype)), [=] { return call(of({3}), zeros({3}, dtype), 0); },
        "[index_add] indices are i32, got " + std::string(name_of(dtype)) + "; convert with astype"));
  for (int32_t index : {3, -4, INT32_MAX, INT32_MIN})
    rows.push_back(row<IndexError>(
        "index_add", "the index " + std::to_string(index),
        [=] {
          return call(of({3, 2}) + 1, ints({0, index, 0}, {3}), 0).to_vector<float>();
        },
        "[index_add] index " + std::to_string(index) + " at (1,) lies outside [-3, 3): axis 0 of (3, 2)"));
  rows.insert(
      rows.end(),
      {row<ShapeError>(
           "index_add", "an axis beyond i32", [=] { return call(huge({long_index_axis}), places({1}), 0); },
           "[index_add] axis 0 of (3000000000,) is longer than i32 places reach, 2^31 - 1; work on slices of it"),
       row<ShapeError>(
           "index_add", "indices of rank 2",
           [] {
             return index_add(of({3}), 0, places({1, 1}), of({1}));
           },
           "[index_add] wants indices of rank 1, their shape is (1, 1)"),
       row<ShapeError>(
           "index_add", "updates of another shape",
           [=] {
             return index_add(of({4, 5}), 1, places({3}), of({3, 4}));
           },
           "[index_add] the updates (3, 4) must have the shape (4, 3): that of x, but along axis 1 the indices' "
           "length"),
       row<ShapeError>(
           "index_add", "too many elements",
           [=] {
             return call(huge({2, 2147483647, 2}), places({1}), 0);
           },
           "[index_add] (2, 2147483647, 2) has more than 2^32 - 2 elements; work on parts of it")});
  add_dtypes(
      rows, "index_add", [=](const Tensor& x) { return with(x, x); }, Types::numeric);
  add_differing_dtypes(rows, "index_add", with);
  add_two_devices(rows, "index_add", with);
  add_two_devices(
      rows, "index_add", [](const Tensor& x, const Tensor& y) { return index_add(x, 0, y, x); }, DType::i32);
  add_moved_from(rows, "index_add", [=](const Tensor& x) { return with(x, of({3})); });
  add_moved_from(rows, "index_add", [=](const Tensor& x) { return with(of({3}), x); });
  add_moved_from(rows, "index_add", [](const Tensor& x) { return index_add(of({3}), 0, x, of({3})); });
}

void add_take(Rows& rows) {
  rows.insert(rows.end(), {row<ShapeError>(
                               "take", "a result of rank 9",
                               [] {
                                 return take(of({1, 1, 1, 1, 1}), places({1, 1, 1, 1, 1}), 1);
                               },
                               "[take] axis 1 of (1, 1, 1, 1, 1) replaced by (1, 1, 1, 1, 1) has a rank above 8"),
                           row<ShapeError>(
                               "take", "an overflowed product of sizes",
                               [] {
                                 return take(huge({2, int64_t{1} << 40}), places({int64_t{1} << 30}), 0);
                               },
                               "[take] shape (1073741824, 1099511627776)" + too_many)});
}

void add_one_hot(Rows& rows) {
  const auto wrong = [&]<class E>(const E&, const std::string& what, const Tensor& indices, int64_t depth,
                                  const std::string& message) {
    rows.push_back(row<E>(
        "one_hot", what, [=] { return one_hot(indices, depth).to_vector<float>(); }, "[one_hot] " + message));
  };
  const ShapeError shape("");
  wrong(shape, "a negative depth", places({2}), -1, "a negative depth: -1");
  wrong(shape, "a depth beyond i32", places({2}), long_index_axis, "a depth of 3000000000: i32 indices reach 2^31 - 1");
  wrong(shape, "the largest rank", places({1, 1, 1, 1, 1, 1, 1, 1}), 3,
        "(1, 1, 1, 1, 1, 1, 1, 1) has the largest rank already, 8");
  wrong(shape, "an overflowed product of sizes", places({}).expand({4294967294}), 2147483647,
        "shape (4294967294, 2147483647)" + too_many);
  wrong(DTypeError(""), "indices of f32", of({2}), 3, "indices are i32, got f32; convert with astype");
  wrong(IndexError(""), "an index of the depth", ints({0, 3}, {2}), 3,
        "index 3 at (1,) lies outside [-3, 3): axis 0 of (3,)");
  wrong(IndexError(""), "a depth of 0", ints({0}, {1}), 0, "index 0 at (0,) lies outside [0, 0): axis 0 of (0,)");
  add_moved_from(rows, "one_hot", [](const Tensor& x) { return one_hot(x, 3); });
}

void add_selection(Rows& rows) {
  const auto mask = [](const Shape& shape) { return zeros(shape, DType::boolean); };
  rows.insert(
      rows.end(),
      {row<ShapeError>(
           "compress", "a mask of another length",
           [=] {
             return compress(of({2, 3}), mask({3}));
           },
           "[compress] the mask (3,) must have the shape of the first axes of (2, 3)"),
       row<ShapeError>(
           "compress", "a mask of a higher rank",
           [=] {
             return compress(of({2, 3}), mask({2, 3, 1}));
           },
           "[compress] the mask (2, 3, 1) must have the shape of the first axes of (2, 3)"),
       row<ShapeError>(
           "compress", "a scalar mask of the largest rank",
           [=] {
             return compress(of({1, 1, 1, 1, 1, 1, 1, 1}), mask({}));
           },
           "[compress] (1, 1, 1, 1, 1, 1, 1, 1) has the largest rank already, 8, and a scalar mask adds an axis"),
       row<ShapeError>(
           "compress", "a mask too long",
           [] { return compress(huge({long_index_axis}), huge({long_index_axis}, DType::boolean)); },
           "[compress] (3000000000,) has more elements than i32 counts, 2^31 - 1; work on parts of it"),
       row<ShapeError>(
           "nonzero", "a mask too long", [] { return nonzero(huge({long_index_axis}, DType::boolean)); },
           "[nonzero] (3000000000,) has more elements than i32 counts, 2^31 - 1; work on parts of it"),
       row<ShapeError>(
           "unique", "too long", [] { return unique(huge({long_index_axis})); },
           "[unique] (2999999999,) has more elements than i32 counts, 2^31 - 1; work on parts of it"),
       row<ShapeError>(
           "unique", "a matrix",
           [] {
             return unique(of({2, 2}));
           },
           "[unique] wants a tensor of rank 1, the shape is (2, 2)"),
       row<ShapeError>(
           "unique", "a scalar", [] { return unique(of({})); }, "[unique] wants a tensor of rank 1, the shape is ()")});
  add_dtypes(
      rows, "compress", [](const Tensor& x) { return compress(of({3}), x); }, Types::logical);
  add_dtypes(rows, "nonzero", nonzero, Types::logical);
  add_two_devices(rows, "compress", compress, DType::boolean);
  add_moved_from(rows, "compress", [=](const Tensor& x) { return compress(x, mask({3})); });
  add_moved_from(rows, "compress", [](const Tensor& x) { return compress(of({3}), x); });
  add_moved_from(rows, "nonzero", nonzero);
  add_moved_from(rows, "unique", unique);
}

}  // namespace

void add_indices(Rows& rows) {
  add_indexed(rows, "take", take);
  add_take(rows);
  const auto gathered = [](const Tensor& x, const Tensor& index, int axis) { return gather(x, axis, index); };
  add_indexed(rows, "gather", gathered);
  add_within(rows, "gather", [=](const Tensor& x, const Tensor& index) { return gathered(x, index, 0); });
  add_scatter(rows, "scatter", scatter);
  add_scatter(rows, "scatter_add", scatter_add);
  add_dtypes(
      rows, "scatter_add", [](const Tensor& x) { return scatter_add(x, 0, places({3}), x); }, Types::numeric);
  rows.push_back(row<ShapeError>(
      "scatter_add", "too many elements",
      [] {
        return scatter_add(huge({2, 2147483647, 2}), 0, places({1, 1, 1}), of({1, 1, 1}));
      },
      "[scatter_add] (2, 2147483647, 2) has more than 2^32 - 2 elements; work on parts of it"));
  for (const auto& [name, call] :
       std::vector<std::pair<std::string, Tensor (*)(const Tensor&, int, const Tensor&, const Tensor&)>>{
           {"scatter_mul", scatter_mul}, {"scatter_max", scatter_max}, {"scatter_min", scatter_min}}) {
    add_scatter(rows, name, call);
    add_dtypes(
        rows, name, [call = call](const Tensor& x) { return call(x, 0, places({3}), x); }, Types::numeric);
  }
  rows.push_back(row<ShapeError>(
      "scatter_mul", "too many elements",
      [] {
        return scatter_mul(huge({2, 2147483647, 2}, DType::i32), 0, places({1, 1, 1}), places({1, 1, 1}));
      },
      "[scatter_mul] (2, 2147483647, 2) has more than 2^32 - 2 elements; work on parts of it"));
  add_take_along_axis(rows);
  add_index_add(rows);
  add_one_hot(rows);
  add_selection(rows);
}

}  // namespace eglantine::test::bad_input

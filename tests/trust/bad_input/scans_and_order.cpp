#include "trust/bad_input/row.hpp"

/// Prefixes along an axis; sort and its like.
namespace eglantine::test::bad_input {
namespace {

void add_scans(Rows& rows) {
  using Scan = Tensor (*)(const Tensor&, int, bool, bool);
  for (const auto& [name, call] : std::vector<std::pair<std::string, Scan>>{
           {"cumsum", cumsum}, {"cumprod", cumprod}, {"cummax", cummax}, {"cummin", cummin}}) {
    add_axis(rows, name, [call = call](const Tensor& x, int axis) { return call(x, axis, false, false); });
    add_axis(rows, name,
             [call = call](const Tensor& x, int axis) { return call(x.astype(DType::boolean), axis, true, true); });
    add_moved_from(rows, name, [call = call](const Tensor& x) { return call(x, 0, false, false); });
  }
}

/// An axis longer than places in i32 can say.
void add_long(Rows& rows, const std::string& name, const OfOne& call) {
  rows.push_back(row<ShapeError>(
      name, "an axis too long for its places", [=] { return call(huge({int64_t{1} << 31})); },
      "[" + name + "] axis 0 of (2147483648,) is longer than i32 places reach, 2^31 - 1; work on slices of it"));
}

void add_topk(Rows& rows) {
  const auto wrong = [&](const std::string& what, int64_t k, int axis, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "topk", what,
        [=] {
          return topk(of({2, 3}), k, axis);
        },
        "[topk] k is " + message + " of (2, 3)"));
  };
  wrong("more than there are", 4, -1, "4, and must lie in [0, 3], the length of axis -1");
  wrong("a negative count", -1, 0, "-1, and must lie in [0, 2], the length of axis 0");
  wrong("the lowest count", INT64_MIN, 1, "-9223372036854775808, and must lie in [0, 3], the length of axis 1");
  add_axis(rows, "topk", [](const Tensor& x, int axis) { return topk(x, 0, axis).first; });
  const OfOne one = [](const Tensor& x) { return topk(x, 1).first; };
  add_long(rows, "topk", one);
  add_moved_from(rows, "topk", one);
}

void add_sort_by_key(Rows& rows) {
  const OfTwo call = [](const Tensor& x, const Tensor& y) { return sort_by_key(x, y).second; };
  const OfOne of_one = [=](const Tensor& x) { return call(x, x); };
  rows.insert(rows.end(), {row<ShapeError>(
                               "sort_by_key", "values of another shape",
                               [=] {
                                 return call(of({2, 3}), of({3}));
                               },
                               "[sort_by_key] keys and values differ in shape: (2, 3) and (3,)"),
                           row<ShapeError>(
                               "sort_by_key", "a scalar", [=] { return of_one(of({})); },
                               "[sort_by_key] axis -1 of a scalar, which has no axes")});
  add_two_devices(rows, "sort_by_key", call);
  add_long(rows, "sort_by_key", of_one);
  add_moved_from(rows, "sort_by_key", of_one);
}

}  // namespace

void add_scans_and_order(Rows& rows) {
  add_scans(rows);
  using Sort = Tensor (*)(const Tensor&, int, bool);
  for (const auto& [name, call] : std::vector<std::pair<std::string, Sort>>{{"sort", sort}, {"argsort", argsort}}) {
    add_axis(rows, name, [call = call](const Tensor& x, int axis) { return call(x, axis, false); });
    const OfOne along_last = [call = call](const Tensor& x) { return call(x, -1, true); };
    add_long(rows, name, along_last);
    add_moved_from(rows, name, along_last);
  }
  add_topk(rows);
  add_sort_by_key(rows);
}

}  // namespace eglantine::test::bad_input

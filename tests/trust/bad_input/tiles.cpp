#include "support/custom_ops.hpp"
#include "trust/bad_input/row.hpp"

/// PartitionView.
namespace eglantine::test::bad_input {

void add_tiles(Rows& rows) {
  const auto view = [] { return PartitionView(of({10, 6}), {4, 4}); };
  const auto tiles = [&](const std::string& what, const Shape& x, const Shape& tile, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "PartitionView::PartitionView", what, [=] { return PartitionView(of(x), tile); },
        "[PartitionView] " + message));
  };
  tiles("a tile of length 0", {10, 6}, {4, 0}, "the lengths of a tile are positive, got (4, 0)");
  tiles("a tile of a negative length", {10, 6}, {-1, 4}, "the lengths of a tile are positive, got (-1, 4)");
  tiles("a tile of another rank", {10, 6}, {4},
        "a tile of shape (4,) has rank 1, the tensor of shape (10, 6) has rank 2");
  tiles("a tile of a scalar", {}, {1}, "a tile of shape (1,) has rank 1, the tensor of shape () has rank 0");
  for (const std::string name : {"get_tile", "tile"}) {
    const auto at = [=](const Shape& index) {
      if (name == "tile") return (void)view().tile(index);
      (void)view().get_tile(index);
    };
    const std::string function = "PartitionView::" + name;
    for (const Shape& index : {Shape{1}, Shape{1, 1, 1}, Shape{}})
      rows.push_back(row<ShapeError>(
          function, "an index of rank " + std::to_string(index.rank()), [=] { at(index); },
          "[" + function + "] index " + to_string(index) + " has rank " + std::to_string(index.rank()) +
              ", the grid of (3, 2) tiles has rank 2"));
  }
  for (const Shape& index : {Shape{3, 0}, Shape{0, -1}, Shape{INT64_MAX, INT64_MIN}})
    rows.push_back(row<IndexError>(
        "PartitionView::tile", "outside the grid", [=] { return view().tile(index); },
        "[PartitionView::tile] index " + to_string(index) + " lies outside the grid of (3, 2) tiles"));
  const std::string reduce = "PartitionView::reduce";
  add_dtypes(
      rows, reduce, [](const Tensor& x) { return PartitionView(x, {2}).reduce(plus()); }, Types::real);
  const auto spoiled = [&](const std::string& what, const ReduceOp& op, const std::string& message) {
    rows.push_back(row<Error>(
        reduce, what, [=] { return view().reduce(op); }, "[" + reduce + "] " + message));
  };
  spoiled("no name", {"", 0, "a", [](float a, float) { return a; }},
          "the operation has no name; explain() and errors want one");
  spoiled("no GLSL", {"mine", 0, "", [](float a, float) { return a; }},
          "the GLSL of \"mine\" is empty: give one expression, such as \"max(a, b)\"");
  spoiled("two statements", {"mine", 0, "a; b", [](float a, float) { return a; }},
          "the GLSL of \"mine\" has a ';': give one expression, such as \"max(a, b)\"");
  spoiled("no cpu function", {"mine", 0, "a", nullptr}, "\"mine\" has no cpu function; it must run on every device");
  add_moved_from(rows, "PartitionView::PartitionView", [](const Tensor& x) { return PartitionView(x, {2}).sum(); });
}

}  // namespace eglantine::test::bad_input

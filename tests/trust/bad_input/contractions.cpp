#include "trust/bad_input/row.hpp"

/// Matrix products.
namespace eglantine::test::bad_input {
namespace {

constexpr int64_t large_dimension = int64_t{1} << 40;

void add_matmul(Rows& rows) {
  const auto wrong = [&](const std::string& what, const Shape& a, const Shape& b, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "matmul", what, [=] { return matmul(huge(a), huge(b)); }, "[matmul] " + message));
  };
  wrong("inner sizes", {3, 4}, {5, 6}, "inner sizes differ: axis 1 of a is 4, axis 0 of b is 5: (3, 4) and (5, 6)");
  wrong("inner sizes of a row and a column", {3}, {4},
        "inner sizes differ: axis 0 of a is 3, axis 0 of b is 4: (3,) and (4,)");
  wrong("an inner size of 1, which does not broadcast", {3, 1}, {4, 5},
        "inner sizes differ: axis 1 of a is 1, axis 0 of b is 4: (3, 1) and (4, 5)");
  wrong("inner sizes of batches", {7, 3, 4}, {7, 5, 6},
        "inner sizes differ: axis 2 of a is 4, axis 1 of b is 5: (7, 3, 4) and (7, 5, 6)");
  wrong("a scalar on the left", {}, {4}, "takes no scalars, got () and (4,); use mul");
  wrong("a scalar on the right", {4}, {}, "takes no scalars, got (4,) and (); use mul");
  wrong("batches", {3, 4, 5}, {2, 5, 6},
        "batches do not broadcast: axis -3 of a is 3, of b is 2: (3, 4, 5) and (2, 5, 6)");
  wrong("outer batches", {2, 1, 4, 5}, {3, 7, 5, 6},
        "batches do not broadcast: axis -4 of a is 2, of b is 3: (2, 1, 4, 5) and (3, 7, 5, 6)");
  wrong("an overflowed product of sizes", {large_dimension, 1}, {1, large_dimension},
        "shape (1099511627776, 1099511627776)" + too_many);
  wrong("batches of an overflowed product", {large_dimension, 1, 1, 1}, {large_dimension, 1, 1},
        "shape (1099511627776, 1099511627776, 1, 1)" + too_many);
}

}  // namespace

void add_contractions(Rows& rows) {
  add_matmul(rows);
  const auto wrong = [&](const Shape& a, const Shape& b, const std::string& message) {
    rows.push_back(row<ShapeError>(
        "dot", "shapes " + to_string(a) + " and " + to_string(b), [=] { return dot(of(a), of(b)); },
        "[dot] " + message));
  };
  wrong({3}, {4}, "lengths differ: axis 0 of a is 3, axis 0 of b is 4: (3,) and (4,)");
  wrong({1}, {4}, "lengths differ: axis 0 of a is 1, axis 0 of b is 4: (1,) and (4,)");
  wrong({2, 2}, {2, 2}, "takes two tensors of rank 1, got (2, 2) and (2, 2); matmul multiplies matrices");
  wrong({}, {}, "takes two tensors of rank 1, got () and (); matmul multiplies matrices");
  for (const auto& [name, call] : std::vector<std::pair<std::string, Tensor (*)(const Tensor&, const Tensor&)>>{
           {"matmul", matmul}, {"dot", dot}}) {
    add_differing_dtypes(rows, name, call);
    add_two_devices(rows, name, call);
    const OfOne of_one = [call = call](const Tensor& x) { return call(x, x); };
    add_dtypes(rows, name, of_one, Types::numeric);
    add_moved_from(rows, name, of_one);
  }
}

}  // namespace eglantine::test::bad_input

#include "lower/attention/row_lanes.hpp"

namespace eglantine::lower {
namespace {

std::string joined(char letter, int first) { return letter + std::to_string(first); }

std::string start_of(int vectors, int j) { return "at" + std::to_string(vectors) + "_" + std::to_string(j); }

}  // namespace

std::string RowLanes::vector(char letter, int r, int v) const { return joined(letter, r) + "_" + std::to_string(v); }

std::string RowLanes::own(char letter, int r, int m) const { return vector(letter, r, m); }

std::string RowLanes::number(char letter, int r, int m, int j) const {
  return vector(letter, r, m) + "_" + std::to_string(j);
}

std::string RowLanes::declare_columns(int first_vectors, int second_vectors) const {
  const auto of = [&](int vectors) {
    return each(lanes, [&](int j) {
      return "uint " + start_of(vectors, j) + " = (x ^ " + u(j) + ") * " + u(vectors) + " + x; ";
    });
  };
  return of(first_vectors) + (second_vectors == first_vectors ? "" : of(second_vectors));
}

std::string RowLanes::at(const Columns& columns, int m, int j, int v) const {
  return "eg_tile[" + columns.start + "(c) * " + u(columns.vectors) + " + " + start_of(columns.vectors, j) + " + " +
         u(m * lanes * columns.vectors + v * lanes) + "]";
}

/// Up to four columns' vectors at a time, so that neighbouring multiplications are of different numbers.
std::string RowLanes::products(char to, char of, const Columns& columns) const {
  std::string text = each(rows, [&](int r) {
    return each(chunk, [&](int i) { return "float " + number(to, r, i / lanes, i % lanes) + " = 0.0; "; });
  });
  for (int first = 0; first < chunk; first += 4)
    text += each(columns.own, [&](int v) {
      return "{ " +
             each(4,
                  [&](int i) {
                    return "vec4 k" + std::to_string(i) + " = " +
                           at(columns, (first + i) / lanes, (first + i) % lanes, v) + "; ";
                  }) +
             each(4,
                  [&](int f) {
                    return each(rows, [&](int r) {
                      return each(4, [&](int i) {
                        const std::string sum = number(to, r, (first + i) / lanes, (first + i) % lanes),
                                          x = vector(of, r, v) + component(f), k = joined('k', i) + component(f);
                        return fused ? sum + " = fma(" + x + ", " + k + ", " + sum + "); "
                                     : sum + " += " + x + " * " + k + "; ";
                      });
                    });
                  }) +
             "} ";
    });
  return text;
}

std::string RowLanes::combined(char from, char to) const {
  return each(rows, [&](int r) {
    return each(columns(), [&](int m) {
      std::string text = "float " + own(to, r, m) + " = " + number(from, r, m, 0);
      for (int j = 1; j < lanes; ++j) text += " + subgroupShuffleXor(" + number(from, r, m, j) + ", " + u(j) + ")";
      return text + "; ";
    });
  });
}

std::string RowLanes::spread(char from, char to) const {
  return each(rows, [&](int r) {
    return each(chunk, [&](int i) {
      const std::string x = own(from, r, i / lanes);
      const int j = i % lanes;
      return number(to, r, i / lanes, j) + " = " + (j == 0 ? x : "subgroupShuffleXor(" + x + ", " + u(j) + ")") + "; ";
    });
  });
}

std::string RowLanes::sums(char to, char by, const Columns& columns) const {
  return each(chunk, [&](int i) {
    return "{ " +
           each(columns.own,
                [&](int v) { return "vec4 " + joined('v', v) + " = " + at(columns, i / lanes, i % lanes, v) + "; "; }) +
           each(columns.own,
                [&](int v) {
                  return each(rows, [&](int r) {
                    return plus_product(fused, vector(to, r, v), number(by, r, i / lanes, i % lanes), joined('v', v));
                  });
                }) +
           "} ";
  });
}

std::string RowLanes::over_lanes(const std::string& x, bool largest) const {
  std::string text;
  for (int apart = 1; apart < lanes; apart *= 2) {
    const std::string other = "subgroupShuffleXor(" + x + ", " + u(apart) + ")";
    text += x + (largest ? " = max(" + x + ", " + other + "); " : " += " + other + "; ");
  }
  return text;
}

}  // namespace eglantine::lower

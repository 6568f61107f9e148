#pragma once

#include <cmath>

#include "support/reference/naive.hpp"

/// Arrays of floats and numbers in formulas: element by element, in double, broadcasting.
namespace eglantine::test {

/// An array, or a number, which broadcasts.
struct Term {
  Term(const Array& x) : array(x) {}
  Term(double x) : array{DType::f32, {}, {x}} {}
  Array array;
};

inline Array operator+(const Term& a, const Term& b) {
  return naive::map(a.array, b.array, DType::f32, [](double x, double y) { return x + y; });
}
inline Array operator-(const Term& a, const Term& b) {
  return naive::map(a.array, b.array, DType::f32, [](double x, double y) { return x - y; });
}
inline Array operator*(const Term& a, const Term& b) {
  return naive::map(a.array, b.array, DType::f32, [](double x, double y) { return x * y; });
}
inline Array operator/(const Term& a, const Term& b) {
  return naive::map(a.array, b.array, DType::f32, [](double x, double y) { return x / y; });
}
inline Array each(const Array& x, double (*f)(double)) { return naive::map(x, DType::f32, f); }
inline Array each(const Array& a, const Array& b, double (*f)(double, double)) {
  return naive::map(a, b, DType::f32, f);
}
inline Array square(const Array& x) { return x * x; }

}  // namespace eglantine::test

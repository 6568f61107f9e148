#pragma once

#include <cmath>
#include <functional>
#include <vector>

/// Derivatives of any order without differences: hyper-dual numbers, after Fike and Alonso, "The Development of
/// Hyper-Dual Numbers for Exact Second-Derivative Calculations" (2011).
namespace eglantine::test {

/// A real number and infinitesimals: the coefficients of products of units e0, e1, ... whose squares are zero. Bit i of
/// a coefficient's place says whether ei is a factor. The coefficient of f(x + u e0 + v e1) at e0 e1 is f's second
/// derivative along u and v.
class HyperDual {
 public:
  HyperDual(double real = 0) : parts_{real} {}
  /// real + part e, where e is a unit that neither has.
  HyperDual(const HyperDual& real, const HyperDual& part, size_t units) : parts_(size_t{2} << units) {
    for (size_t at = 0; at < parts_.size() / 2; ++at) {
      parts_[at] = real.at(at);
      parts_[at + parts_.size() / 2] = part.at(at);
    }
  }

  double at(size_t place) const { return place < parts_.size() ? parts_[place] : 0; }
  double real() const { return parts_[0]; }
  size_t units() const {
    size_t units = 0;
    while (parts_.size() >> (units + 1) != 0) ++units;
    return units;
  }
  /// The coefficient of the unit after the first `units`.
  HyperDual part(size_t units) const {
    HyperDual part;
    part.parts_.assign(size_t{1} << units, 0);
    for (size_t at = 0; at < part.parts_.size(); ++at) part.parts_[at] = this->at(at + part.parts_.size());
    return part;
  }

  friend HyperDual operator+(const HyperDual& a, const HyperDual& b) {
    HyperDual sum = a.parts_.size() < b.parts_.size() ? b : a;
    for (size_t at = 0; at < sum.parts_.size(); ++at) sum.parts_[at] = a.at(at) + b.at(at);
    return sum;
  }
  friend HyperDual operator*(const HyperDual& a, const HyperDual& b) {
    HyperDual product = a.parts_.size() < b.parts_.size() ? b : a;
    for (size_t at = 0; at < product.parts_.size(); ++at) {
      product.parts_[at] = a.at(0) * b.at(at);
      for (size_t some = at; some != 0; some = (some - 1) & at) product.parts_[at] += a.at(some) * b.at(at ^ some);
    }
    return product;
  }
  friend HyperDual operator-(const HyperDual& a, const HyperDual& b) { return a + HyperDual(-1) * b; }

  /// f(x), by Taylor's series, which ends. derivative(k): f's k-th at x.real().
  friend HyperDual of(const HyperDual& x, const std::function<double(size_t k)>& derivative) {
    const HyperDual infinitesimal = x - HyperDual(x.real());
    HyperDual sum = derivative(0), power = 1;
    for (size_t k = 1; k <= x.units(); ++k) {
      power = power * infinitesimal * HyperDual(1.0 / static_cast<double>(k));
      sum = sum + HyperDual(derivative(k)) * power;
    }
    return sum;
  }

 private:
  std::vector<double> parts_;
};

inline HyperDual exp(const HyperDual& x) {
  return of(x, [&](size_t) { return std::exp(x.real()); });
}
inline HyperDual sin(const HyperDual& x) {
  return of(x, [&](size_t k) { return std::sin(x.real() + static_cast<double>(k) * std::acos(0.0)); });
}
inline HyperDual pow(const HyperDual& x, double p) {
  return of(x, [&](size_t k) {
    double factor = 1;
    for (size_t i = 0; i < k; ++i) factor *= p - static_cast<double>(i);
    return factor * std::pow(x.real(), p - static_cast<double>(k));
  });
}
inline HyperDual log(const HyperDual& x) {
  return of(x, [&](size_t k) {
    double factor = 1;
    for (size_t i = 1; i < k; ++i) factor *= -static_cast<double>(i);
    return k == 0 ? std::log(x.real()) : factor * std::pow(x.real(), -static_cast<double>(k));
  });
}
inline HyperDual operator/(const HyperDual& a, const HyperDual& b) { return a * pow(b, -1); }
inline HyperDual tanh(const HyperDual& x) { return 1 - 2 / (exp(2 * x) + 1); }

}  // namespace eglantine::test

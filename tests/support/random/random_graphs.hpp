#pragma once

#include <functional>
#include <string>

#include "support/array.hpp"

/// Random graphs of verbs with several wanted results: what is shared is read under different views, products and
/// reductions cross, and updates read each other.
namespace eglantine::test {

/// A program as data: leaves, then steps that each apply a verb to earlier values. Everything has rank 2, lengths n or
/// 1.
class RandomGraph {
 public:
  /// Gives a number between two, both included: of a seed, or of a fuzzer's bytes.
  using Draw = std::function<int64_t(int64_t low, int64_t high)>;
  /// dtype: i32, whose results are exact, or f32, whose bits must not depend on when anything is computed. data: the
  /// seed of the leaves' elements.
  RandomGraph(const Draw& draw, DType dtype, int64_t n, uint64_t data);

  /// The value of each leaf and step on the current device. `after` sees what there is so far, after each step.
  using Watch = std::function<void(const std::vector<Tensor>& values)>;
  std::vector<Tensor> build(const Watch& after = {}) const;
  /// The same by naive loops; i32 alone.
  std::vector<Array> reference() const;
  /// The values that the program wants, of all.
  const std::vector<size_t>& wanted() const { return wanted_; }
  /// "3 = matmul(1, 2)", a line each.
  std::string text() const;

 private:
  struct Step {
    size_t verb, a, b;
    int64_t p;  ///< 0 or 1: an axis, mostly
  };
  DType dtype_;
  int64_t n_;
  uint64_t data_;
  std::vector<Step> steps_;
  std::vector<size_t> wanted_;
};

/// Builds and computes the program four ways on the current device: all wanted results together, each by itself, with
/// other values computed at drawn points on the way, and on other threads meanwhile. "" if every result has the same
/// bits each time, and an i32's those of the reference; else what differs.
std::string difference_between_orders(const RandomGraph& graph, uint64_t seed);

/// The seed's program, of either dtype and several sizes; "" or what went wrong, with the program's text.
std::string check_random_graph(uint64_t seed);

}  // namespace eglantine::test

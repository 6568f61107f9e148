#pragma once

#include <functional>
#include <string>

#include "support/array.hpp"

/// Random graphs of verbs with several wanted results: shared values are read through different views, products and
/// reductions alternate, and updates read each other.
namespace eglantine::test {

/// What dtypes the values of a program have: one, or any that meet.
struct GraphTypes {
  DType dtype = DType::f32;
  bool mixed = false;
};

/// A program as data: leaves, then steps that each apply a verb to earlier values. All values have rank 2, lengths n or
/// 1.
class RandomGraph {
 public:
  /// Draws a number in [low, high] from a seed or from a fuzzer's bytes.
  using Draw = std::function<int64_t(int64_t low, int64_t high)>;
  /// Results of i32, i8 and u8 are exact. data: the seed of the leaves' elements.
  RandomGraph(const Draw& draw, GraphTypes types, int64_t n, uint64_t data);

  /// The values of all leaves and steps on the current device. Calls `after` with the values so far after each step.
  using Watch = std::function<void(const std::vector<Tensor>& values)>;
  std::vector<Tensor> build(const Watch& after = {}) const { return build(leaves(), after); }
  /// The same of given leaves; leaves() are those that were drawn, on the current device.
  std::vector<Tensor> build(const std::vector<Tensor>& leaves, const Watch& after = {}) const;
  std::vector<Tensor> leaves() const;
  /// The same by naive loops, of integers of one dtype.
  bool has_reference() const;
  std::vector<Array> reference() const;
  /// The numbers of the values that the program wants.
  const std::vector<size_t>& wanted() const { return wanted_; }
  /// One line for each step: "3 = matmul(1, 2)".
  std::string text() const;

 private:
  struct Step {
    size_t verb, a, b;
    int64_t p;               ///< 0 or 1, usually an axis
    int64_t q;               ///< 0 to 255, chooses a variant
    DType taken_a, taken_b;  ///< what the verb takes a and b as
  };
  Tensor applied(const Step& step, const std::vector<Tensor>& values) const;
  DType drawn_dtype(const Draw& draw) const;

  GraphTypes types_;
  int64_t n_;
  uint64_t data_;
  std::vector<Step> steps_;
  std::vector<size_t> wanted_;
};

/// Computes the program in four ways on the current device: all wanted results together, one by one, with other values
/// evaluated at drawn points in between, and beside other threads. "" if every result has the same bits each time
/// (floats: about the same value, unless EGLANTINE_ROW_CHAINS is off), and for i32 those of the reference; else the
/// difference.
std::string difference_between_orders(const RandomGraph& graph, uint64_t seed);

/// By turns i32, f32, a narrow dtype, and a mixture.
GraphTypes graph_types(uint64_t number);

/// Checks the seed's program, of a dtype and size that it chooses; "" or the difference, with the program's text.
std::string check_random_graph(uint64_t seed);

}  // namespace eglantine::test

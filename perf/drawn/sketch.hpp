#pragma once

#include "perf/drawn/drawn.hpp"

namespace eglantine::perf::drawn {

/// i8, u8, i32 and u32.
bool is_whole(DType dtype);

/// A work while a family draws it.
class Sketch {
 public:
  /// bytes: what a call is to read and write, about.
  Sketch(Dice first, double bytes) : dice(first), bytes_(bytes) {}

  Dice dice;    ///< for what the family draws
  Drawn drawn;  ///< so far

  /// As many elements as take the bytes where one takes `each`; at least 1.
  int64_t room(double each) const { return each > bytes_ ? 1 : static_cast<int64_t>(bytes_ / each); }
  Shape shape(int64_t elements, int least_rank, int most_rank);  ///< drawn_shape() of these dice
  /// f32 mostly, else f16 or bf16.
  DType float_type();

  /// Operands in their order. These two lie in a layout that is drawn.
  void operand(const Shape& shape, Fill fill = Fill::normal, DType dtype = DType::f32);
  void mask(const Shape& shape);
  void places(const Shape& shape, int64_t bound);                                       ///< i32 in [0, bound)
  void stored(const Shape& shape, Fill fill = Fill::normal, DType dtype = DType::f32);  ///< contiguous
  void result(const Shape& shape, DType dtype = DType::f32) { drawn.results.push_back({shape, dtype}); }
  void parameter(const std::string& name, std::vector<int64_t> values) {
    drawn.parameters.emplace_back(name, std::move(values));
  }
  void verb(const std::string& name, Verb call) { drawn.verb = name, drawn.call = std::move(call); }
  /// Results may differ by this where they are f32, and by a rounding of their dtype. Rounding of an f16 or bf16
  /// operand counts relative to numbers of the size of 1.
  void within(double relative, double absolute, DType dtype = DType::f32);
  /// The axis along which all operands and the result may be cut for the check.
  void cut(int axis) { drawn.check.operand_axes.assign(drawn.operands.size(), axis), drawn.check.result_axis = axis; }

 private:
  double bytes_;
};

}  // namespace eglantine::perf::drawn

#include "perf/drawn/sketch.hpp"

#include <algorithm>

#include "perf/drawn/lengths.hpp"

namespace eglantine::perf::drawn {

namespace {

perf::Operand filled_with(const Shape& shape, Fill fill, DType dtype) {
  return {shape, is_whole(dtype) ? Fill::bits : fill, 0, dtype};
}

}  // namespace

bool is_whole(DType dtype) {
  return dtype == DType::i32 || dtype == DType::u32 || dtype == DType::i8 || dtype == DType::u8;
}

Shape Sketch::shape(int64_t elements, int least_rank, int most_rank) {
  return drawn_shape(dice, elements, least_rank, most_rank);
}

DType Sketch::float_type() {
  return dice.of({DType::f32, DType::f32, DType::f32, DType::f32, DType::f32, DType::f32, DType::f16, DType::bf16});
}

void Sketch::operand(const Shape& shape, Fill fill, DType dtype) {
  drawn.operands.push_back(with_layout(dice, filled_with(shape, fill, dtype)));
}

void Sketch::mask(const Shape& shape) { drawn.operands.push_back(with_layout(dice, {shape, Fill::mask, 0, {}})); }

void Sketch::places(const Shape& shape, int64_t bound) {
  drawn.operands.push_back(contiguous({shape, Fill::index, std::max<int64_t>(1, bound), {}}));
}

void Sketch::stored(const Shape& shape, Fill fill, DType dtype) {
  drawn.operands.push_back(contiguous(filled_with(shape, fill, dtype)));
}

void Sketch::within(double relative, double absolute, DType dtype) {
  const double rounding = dtype == DType::f16 ? 0x1p-9 : dtype == DType::bf16 ? 0x1p-6 : 0;
  drawn.check.relative = std::max(relative, rounding);
  drawn.check.absolute = std::max(absolute, rounding);
}

}  // namespace eglantine::perf::drawn

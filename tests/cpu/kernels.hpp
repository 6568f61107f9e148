#pragma once

#include <bit>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/cpu_backend.hpp"
#include "layout/layout.hpp"

/// Kernels built by hand and run on a CPU backend without a queue: a failing test points at the backend alone.
namespace eglantine::test {

using Bits = std::vector<uint32_t>;

inline uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
inline float float_of(uint32_t x) { return std::bit_cast<float>(x); }
inline bool is_nan(uint32_t x) { return (x & 0x7fffffffu) > 0x7f800000u; }

inline Bits bits_of(const std::vector<float>& values) {
  Bits bits;
  for (const float value : values) bits.push_back(bits_of(value));
  return bits;
}

/// Whether two words hold the same element: the same bits, or NaN both.
inline bool same_element(DType dtype, uint32_t a, uint32_t b) {
  return a == b || (dtype == DType::f32 && is_nan(a) && is_nan(b));
}

/// The address of element `number` (row-major) of a layout, by plain division.
inline int64_t place(const Layout& x, int64_t number) {
  int64_t address = x.offset;
  for (int axis = x.shape.rank() - 1; axis >= 0; --axis) {
    address += number % x.shape[axis] * x.strides[static_cast<size_t>(axis)];
    number /= x.shape[axis];
  }
  return address;
}

/// One backend for all tests of this folder.
inline Backend& backend() {
  static const std::unique_ptr<Backend> backend = cpu::make_backend();
  return *backend;
}

inline BufferPtr buffer_of(const Bits& values) {
  const int64_t bytes = static_cast<int64_t>(std::max<size_t>(values.size(), 1) * sizeof(uint32_t));
  auto buffer = std::make_shared<Buffer>(nullptr, bytes);
  buffer->set_storage(backend().allocate(bytes));
  backend().upload(buffer->storage(), 0, std::as_bytes(std::span(values)));
  return buffer;
}

/// A buffer of `count` words that are recognizably no results.
inline BufferPtr garbage(int64_t count) { return buffer_of(Bits(static_cast<size_t>(count), 0x7fc0dead)); }

inline Bits contents(const Buffer& buffer) {
  Bits values(static_cast<size_t>(buffer.bytes()) / sizeof(uint32_t));
  backend().download(buffer.storage(), 0, std::as_writable_bytes(std::span(values)));
  return values;
}

inline Strided contiguous_output(DType dtype, const Shape& shape) {
  return {garbage(shape.elements()), word_storage(dtype), layout::contiguous(shape)};
}

/// load(operand 0).
inline Expr load_of(const Strided& x) { return {x.layout.shape, {x}, {}, {}, {{Op::load, x.dtype(), {0, -1, -1}}}}; }

/// op(load(operand 0), load(operand 1)).
inline Expr binary(Op op, DType result, const Strided& x, const Strided& y) {
  return {x.layout.shape,
          {x, y},
          {},
          {},
          {{Op::load, x.dtype(), {0, -1, -1}}, {Op::load, y.dtype(), {1, -1, -1}}, {op, result, {0, 1, -1}}}};
}

/// The accumulator itself.
inline Expr accumulator_of(DType dtype, const Shape& domain) {
  return {domain, {}, {}, {}, {{Op::accumulator, dtype, {-1, -1, -1}}}};
}

/// Runs a map with a contiguous output.
inline Bits run_map(const Expr& value) {
  const Strided out = contiguous_output(value.dtype(), value.domain);
  backend().run(MapKernel{value, out});
  return contents(*out.buffer);
}

/// Runs a reduction of `prologue`, whose first kept_rank axes are kept.
inline Bits run_reduce(const Expr& prologue, int kept_rank, Reduction reduction, layout::ReduceTree tree,
                       DType result = DType::f32) {
  int64_t kept = 1;
  for (int axis = 0; axis < kept_rank; ++axis) kept *= prologue.domain[axis];
  const Strided out = contiguous_output(result, {kept});
  backend().run(ReduceKernel{prologue, kept_rank, reduction, tree, accumulator_of(result, {kept}), out});
  return contents(*out.buffer);
}

/// Reproducible random bits (splitmix64; Steele, Lea and Flood 2014).
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}
  uint32_t word() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
  }
  /// In [-1, 1), with all bits of the mantissa random.
  float real() { return static_cast<float>(static_cast<int32_t>(word())) * 0x1p-31f; }
  int64_t below(int64_t end) { return word() % end; }

 private:
  uint64_t state_;
};

inline std::vector<float> random_floats(int64_t count, uint64_t seed) {
  Numbers numbers(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = numbers.real();
  return values;
}

inline Bits random_words(int64_t count, uint64_t seed) {
  Numbers numbers(seed);
  Bits values(static_cast<size_t>(count));
  for (uint32_t& value : values) value = numbers.word();
  return values;
}

}  // namespace eglantine::test

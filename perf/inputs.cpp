#include "perf/inputs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "element_types.hpp"

namespace eglantine::perf {

namespace {

/// Any of the 2^32 words: Wang's hash of the element's number and the seed.
Tensor random_bits(const Shape& shape, uint64_t seed, const Device& device) {
  const auto low = static_cast<uint32_t>(seed);
  Tensor x = bit_xor(arange(0, static_cast<double>(shape.elements()), 1, DType::u32, device), low * 0x9E3779B9U);
  x = bit_xor(bit_xor(x, 61U), shift_right(x, 16U)) * 9U;
  x = bit_xor(x, shift_right(x, 4U)) * 0x27D4EB2DU;
  return bit_xor(x, shift_right(x, 15U)).reshape(shape);
}

/// Coordinates of each element's own place along the axes behind n, the last axis's first, and up to `most` beside it.
Tensor random_places(const Shape& shape, float most, uint64_t seed, const Device& device) {
  Tensors coordinates;
  for (int axis = shape.rank() - 2; axis > 0; --axis) {
    Shape along(std::vector<int64_t>(static_cast<size_t>(shape.rank()), 1)), whole = shape;
    along[axis] = shape[axis];
    whole[shape.rank() - 1] = 1;
    const Tensor numbers = arange(0, static_cast<double>(shape[axis]), 1, DType::f32, device);
    const float each = 2.0F / static_cast<float>(shape[axis]);
    coordinates.push_back(((numbers + 0.5F) * each - 1.0F).reshape(along).expand(whole));
  }
  return concatenate(coordinates, shape.rank() - 1) + (uniform(shape, seed, DType::f32, device) * 2.0F - 1.0F) * most;
}

Tensor filled(const Operand& operand, uint64_t seed, const Device& device) {
  const Shape& shape = operand.shape;
  switch (operand.fill) {
    case Fill::uniform:
      return uniform(shape, seed, DType::f32, device);
    case Fill::signed_uniform:
      return uniform(shape, seed, DType::f32, device) * 2.0F - 1.0F;
    case Fill::positive:
      return uniform(shape, seed, DType::f32, device) + 0.5F;
    case Fill::small:
      return uniform(shape, seed, DType::f32, device) * 0.2F - 0.1F;
    case Fill::normal:
      return normal(shape, seed, DType::f32, device);
    case Fill::mask:
      return gt(uniform(shape, seed, DType::f32, device), 0.5F);
    case Fill::bits:
      return random_bits(shape, seed, device);
    case Fill::index:
      return remainder(random_bits(shape, seed, device), static_cast<uint32_t>(operand.bound)).astype(DType::i32);
    case Fill::places:
      return random_places(shape, 0.05F, seed, device);
  }
  return zeros(shape, DType::f32, device);
}

/// Bytes that one element takes in a device's memory, at the most.
double bytes_of(const Operand& operand) { return static_cast<double>(size_of(operand.dtype.value_or(DType::f32))); }

}  // namespace

Tensors random_set(const std::vector<Operand>& operands, uint64_t set, const Device& device) {
  Tensors tensors;
  for (const Operand& operand : operands)
    tensors.push_back(random_tensor(operand, set * operands.size() + tensors.size() + 1, device));
  return tensors;
}

size_t sets_of(const std::vector<Operand>& operands) {
  double bytes = 0;
  for (const Operand& operand : operands) bytes += bytes_of(operand) * static_cast<double>(operand.shape.elements());
  return std::clamp(static_cast<size_t>(std::ceil(rotation_bytes / std::max(1.0, bytes))), fewest_sets, most_sets);
}

Tensor random_tensor(const Operand& operand, uint64_t seed, const Device& device) {
  const Tensor x = filled(operand, seed, device);
  return x.astype(operand.dtype.value_or(x.dtype())).eval();
}

Operand in_dtype(DType dtype, const Shape& shape, Fill fill) {
  return {shape, is_integer(dtype) ? Fill::bits : fill, 0, dtype};
}

std::string name_in(DType dtype, const std::string& operation) {
  return dtype == DType::f32 ? operation : operation + "_" + std::string(name_of(dtype));
}

double tolerance_in(DType dtype, double relative) {
  if (dtype == DType::f16) return std::max(relative, 0x1p-10);
  return dtype == DType::bf16 ? std::max(relative, 0x1p-7) : relative;
}

Work work_of(std::string name, std::vector<Operand> operands, Verb verb, const Check& check) {
  Work work;
  work.name = std::move(name);
  work.prepare = [=](const Device& device) {
    Prepared prepared;
    const size_t sets = sets_of(operands);
    for (size_t set = 0; set < sets; ++set)
      prepared.calls.push_back([verb, inputs = random_set(operands, set, device)] { return verb(inputs); });
    // The first set once more, for the same seeds give the same numbers.
    prepared.problem = [=] { return problem_of(verb, random_set(operands, 0, device), check); };
    device.synchronize();
    return prepared;
  };
  work.values = [operands = std::move(operands), verb = std::move(verb)](const Device& device) {
    const Tensors inputs = random_set(operands, 0, device);
    return Values{inputs, verb(inputs)};
  };
  return work;
}

std::string size_text(int64_t elements) {
  const auto count = static_cast<uint64_t>(elements);
  return elements >= 1024 && std::has_single_bit(count) ? "2^" + std::to_string(std::countr_zero(count))
                                                        : std::to_string(elements);
}

std::string size_text(const Shape& shape) {
  std::string text;
  for (const int64_t length : shape) text += (text.empty() ? "" : "x") + std::to_string(length);
  return text;
}

}  // namespace eglantine::perf

#include "support/views.hpp"

#include <limits>
#include <stdexcept>

#include "eglantine/ops.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

double poison(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::f16:
    case DType::bf16:
      return std::numeric_limits<double>::quiet_NaN();
    case DType::i32:
      return 2147483647.0;
    case DType::u32:
      return 4294967295.0;
    case DType::i8:
      return 127;
    case DType::u8:
      return 255;
    case DType::boolean:
      break;
  }
  return 1;
}

std::vector<int64_t> reversed_axes(const Array& x) {
  std::vector<int64_t> axes;
  for (int64_t axis = x.rank(); axis-- > 0;) axes.push_back(axis);
  return axes;
}

Sample contiguous(const Array& x) { return {upload(x), x}; }

Sample column_major(const Array& x) {
  Array stored = naive::permute(x, reversed_axes(x));
  stored.shape = x.shape;
  return {upload(stored, Device::current(), MemoryOrder::column_major), x};
}

Sample permuted(const Array& x) {
  const std::vector<int64_t> axes = reversed_axes(x);
  return {upload(naive::permute(x, axes)).permute(axes), x};
}

Sample cropped(const Array& x) {
  naive::Pairs around;
  naive::Pairs inside;
  for (int64_t length : x.shape) {
    around.emplace_back(1, 2);
    inside.emplace_back(1, 1 + length);
  }
  return {upload(naive::pad(x, around, poison(x.dtype))).crop(inside), x};
}

Sample flipped(const Array& x) { return {upload(naive::flip(x, {})).flip({}), x}; }

/// Every second element along every axis, from the second.
Sample stepped(const Array& x) {
  Dims larger = x.shape;
  for (int64_t& length : larger) length = 2 * length + 1;
  const Array spread = generate(x.dtype, larger, [&](Dims index) {
    for (int64_t& i : index) {
      if (i % 2 == 0) return poison(x.dtype);
      i /= 2;
    }
    return x.at(index);
  });
  Tensor held = upload(spread);
  for (int axis = 0; axis < x.rank(); ++axis) held = held.slice(axis, 1, {}, 2);
  return {held, x};
}

/// The last axis from its end in steps of -3.
Sample backwards(const Array& x) {
  if (x.shape.empty()) return contiguous(x);
  Dims larger = x.shape;
  const int64_t length = 3 * larger.back();
  larger.back() = length;
  const Array spread = generate(x.dtype, larger, [&](Dims index) {
    const int64_t from_end = length - 1 - index.back();
    index.back() = from_end / 3;
    return from_end % 3 == 0 ? x.at(index) : poison(x.dtype);
  });
  const Tensor held = upload(spread);
  return {length == 0 ? held : held.slice(-1, -1, {}, -3), x};
}

/// Starts at element 3, so no vec4 is aligned.
Sample offset(const Array& x) {
  Array longer{x.dtype, {x.size() + 5}, {}};
  longer.values.assign(3, poison(x.dtype));
  longer.values.insert(longer.values.end(), x.values.begin(), x.values.end());
  longer.values.resize(longer.values.size() + 2, poison(x.dtype));
  return {upload(longer).slice(0, 3, 3 + x.size()).reshape(Shape(x.shape)), x};
}

/// The first slice along the first axis longer than 1, repeated.
Sample broadcast(const Array& x) {
  naive::Pairs first;
  bool found = false;
  for (int64_t length : x.shape) {
    first.emplace_back(0, length > 1 && !found ? 1 : length);
    found = found || length > 1;
  }
  const Array one = naive::crop(x, first);
  return {upload(one).expand(Shape(x.shape)), naive::expand(one, x.shape)};
}

Tensor inverse(const Tensor& x) { return x.dtype() == DType::boolean ? logical_not(x) : neg(x); }

Array inverse(const Array& x) {
  return naive::map(x, x.dtype, [&](double v) { return x.dtype == DType::boolean ? 1 - v : as_element(x.dtype, -v); });
}

Sample pending(const Array& x) { return {inverse(upload(inverse(x))), x}; }

Sample pending_permuted(const Array& x) {
  const std::vector<int64_t> axes = reversed_axes(x);
  return {inverse(upload(naive::permute(inverse(x), axes))).permute(axes), x};
}

}  // namespace

const std::vector<View>& every_view() {
  static const std::vector<View> views = {{"contiguous", contiguous},
                                          {"column_major", column_major},
                                          {"permuted", permuted},
                                          {"cropped", cropped},
                                          {"flipped", flipped},
                                          {"stepped", stepped},
                                          {"backwards", backwards},
                                          {"offset", offset},
                                          {"broadcast", broadcast},
                                          {"pending", pending},
                                          {"pending_permuted", pending_permuted}};
  return views;
}

const View& view(const std::string& name) {
  for (const View& candidate : every_view())
    if (candidate.name == name) return candidate;
  throw std::invalid_argument("no view is called " + name);
}

}  // namespace eglantine::test

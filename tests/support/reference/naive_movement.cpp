#include <cmath>

#include "element_types.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test::naive {
namespace {

size_t at(Axis axis, size_t rank) { return static_cast<size_t>(axis < 0 ? axis + static_cast<Axis>(rank) : axis); }

/// The index into a tensor of shape `from` for an index of its broadcast.
Dims broadcast_index(const Dims& index, const Dims& from) {
  Dims result(from.size());
  const size_t extra = index.size() - from.size();
  for (size_t axis = 0; axis < from.size(); ++axis) result[axis] = from[axis] == 1 ? 0 : index[axis + extra];
  return result;
}

double to_integer(double x, double low, double high) {
  if (std::isnan(x)) return 0;
  return std::min(std::max(std::trunc(x), low), high);
}

}  // namespace

Dims broadcast(const Dims& a, const Dims& b) {
  Dims result(std::max(a.size(), b.size()), 1);
  for (const Dims* shape : {&a, &b})
    for (size_t i = 0; i < shape->size(); ++i) {
      int64_t& length = result[result.size() - 1 - i];
      const int64_t mine = (*shape)[shape->size() - 1 - i];
      if (length == 1) length = mine;
    }
  return result;
}

Array expand(const Array& x, const Dims& shape) {
  return generate(x.dtype, shape, [&](const Dims& index) { return x.at(broadcast_index(index, x.shape)); });
}

Array map(const Array& x, DType result, const std::function<double(double)>& f) {
  return generate(result, x.shape, [&](const Dims& index) { return f(x.at(index)); });
}

Array map(const Array& a, const Array& b, DType result, const std::function<double(double, double)>& f) {
  return generate(result, broadcast(a.shape, b.shape), [&](const Dims& index) {
    return f(a.at(broadcast_index(index, a.shape)), b.at(broadcast_index(index, b.shape)));
  });
}

Array map(const Array& a, const Array& b, const Array& c, DType result,
          const std::function<double(double, double, double)>& f) {
  return generate(result, broadcast(broadcast(a.shape, b.shape), c.shape), [&](const Dims& index) {
    return f(a.at(broadcast_index(index, a.shape)), b.at(broadcast_index(index, b.shape)),
             c.at(broadcast_index(index, c.shape)));
  });
}

Array cast(const Array& x, DType dtype) {
  if (is_float(x.dtype) && dtype == DType::i8) return map(x, dtype, [](double v) { return to_integer(v, -128, 127); });
  if (is_float(x.dtype) && dtype == DType::u8) return map(x, dtype, [](double v) { return to_integer(v, 0, 255); });
  if (is_float(x.dtype) && dtype == DType::i32)
    return map(x, dtype, [](double v) { return to_integer(v, -2147483648.0, 2147483647.0); });
  if (is_float(x.dtype) && dtype == DType::u32)
    return map(x, dtype, [](double v) { return to_integer(v, 0, 4294967295.0); });
  return map(x, dtype, [&](double v) { return as_element(dtype, v); });
}

Array reshape(const Array& x, const Dims& shape) { return {x.dtype, shape, x.values}; }

Array permute(const Array& x, const std::vector<Axis>& axes) {
  Dims shape;
  for (Axis axis : axes) shape.push_back(x.shape[at(axis, x.shape.size())]);
  return generate(x.dtype, shape, [&](const Dims& index) {
    Dims from(index.size());
    for (size_t i = 0; i < axes.size(); ++i) from[at(axes[i], axes.size())] = index[i];
    return x.at(from);
  });
}

Array transpose(const Array& x, Axis a, Axis b) {
  std::vector<Axis> axes(x.shape.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<Axis>(i);
  std::swap(axes[at(a, axes.size())], axes[at(b, axes.size())]);
  return permute(x, axes);
}

Array flip(const Array& x, const std::vector<Axis>& axes) {
  std::vector<bool> flipped(x.shape.size(), axes.empty());
  for (Axis axis : axes) flipped[at(axis, x.shape.size())] = true;
  return generate(x.dtype, x.shape, [&](Dims index) {
    for (size_t i = 0; i < index.size(); ++i)
      if (flipped[i]) index[i] = x.shape[i] - 1 - index[i];
    return x.at(index);
  });
}

Array crop(const Array& x, const Pairs& start_stop) {
  Dims shape;
  for (const auto& [start, stop] : start_stop) shape.push_back(stop - start);
  return generate(x.dtype, shape, [&](Dims index) {
    for (size_t i = 0; i < index.size(); ++i) index[i] += start_stop[i].first;
    return x.at(index);
  });
}

Array pad(const Array& x, const Pairs& before_after, double value) {
  Dims shape = x.shape;
  for (size_t i = 0; i < shape.size(); ++i) shape[i] += before_after[i].first + before_after[i].second;
  return generate(x.dtype, shape, [&](Dims index) {
    for (size_t i = 0; i < index.size(); ++i) {
      index[i] -= before_after[i].first;
      if (index[i] < 0 || index[i] >= x.shape[i]) return value;
    }
    return x.at(index);
  });
}

Array slice(const Array& x, Axis axis, int64_t start, std::optional<int64_t> stop, int64_t step) {
  const size_t which = at(axis, x.shape.size());
  const int64_t length = x.shape[which];
  if (start < 0) start += length;
  if (step < 0) start = std::min(start, length - 1);
  if (stop && *stop < 0) *stop += length;
  std::vector<int64_t> chosen;
  if (step > 0)
    for (int64_t i = start; i < stop.value_or(length); i += step) chosen.push_back(i);
  else
    for (int64_t i = start; i > stop.value_or(-1); i += step) chosen.push_back(i);
  Dims shape = x.shape;
  shape[which] = static_cast<int64_t>(chosen.size());
  return generate(x.dtype, shape, [&](Dims index) {
    index[which] = chosen[static_cast<size_t>(index[which])];
    return x.at(index);
  });
}

Array concatenate(const std::vector<Array>& parts, Axis axis) {
  const size_t which = at(axis, parts.front().shape.size());
  Dims shape = parts.front().shape;
  shape[which] = 0;
  for (const Array& part : parts) shape[which] += part.shape[which];
  return generate(parts.front().dtype, shape, [&](Dims index) {
    size_t part = 0;
    while (index[which] >= parts[part].shape[which]) index[which] -= parts[part++].shape[which];
    return parts[part].at(index);
  });
}

Array stack(const std::vector<Array>& parts, Axis axis) {
  std::vector<Array> longer;
  for (const Array& part : parts) {
    Dims shape = part.shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at(axis, shape.size() + 1)), 1);
    longer.push_back(reshape(part, shape));
  }
  return concatenate(longer, axis);
}

}  // namespace eglantine::test::naive

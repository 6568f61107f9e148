#include "support/reference/naive_segments.hpp"

#include <cmath>

#include "element_types.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/from_front.hpp"

namespace eglantine::test::naive {
namespace {

size_t front_axis(int64_t axis, const Array& x) { return static_cast<size_t>(axis < 0 ? axis + x.rank() : axis); }

double& element_of(Array& x, const Dims& index) {
  int64_t number = 0;
  for (size_t i = 0; i < x.shape.size(); ++i) number = number * x.shape[i] + index[i];
  return x.values[static_cast<size_t>(number)];
}

void combine_at(Array& x, const Dims& index, double update, const Combine& combine) {
  double& value = element_of(x, index);
  const double result = combine(value, update);
  value = is_float(x.dtype) ? result : as_element(x.dtype, result);
}

Dims part(const Dims& index, size_t from, size_t to) {
  return {index.begin() + static_cast<int64_t>(from), index.begin() + static_cast<int64_t>(to)};
}

Dims joined(Dims a, const Dims& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The coordinates that a tuple names, from the front.
Dims tuple_at(const Array& indices, const Dims& place, const Dims& lengths) {
  Dims result;
  for (int64_t i = 0; i < indices.shape.back(); ++i)
    result.push_back(from_front(indices.at(joined(place, {i})), lengths[static_cast<size_t>(i)]));
  return result;
}

}  // namespace

double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : a > b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : a < b ? a : b; }

Array scatter_with(const Array& x, int64_t axis, const Array& index, const Array& updates, const Combine& combine) {
  Array result = x;
  for_each_index(index.shape, [&](const Dims& place) {
    Dims target = place;
    target[front_axis(axis, x)] = from_front(index.at(place), x.shape[front_axis(axis, x)]);
    combine_at(result, target, updates.at(place), combine);
  });
  return result;
}

Array take_along_axis(const Array& x, const Array& index, int64_t axis) {
  const size_t along = front_axis(axis, x);
  Dims shape = index.shape;
  for (size_t i = 0; i < shape.size(); ++i)
    if (i != along && shape[i] == 1) shape[i] = x.shape[i];
  return generate(x.dtype, shape, [&](const Dims& place) {
    Dims from = place, at = place;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (index.shape[i] == 1) at[i] = 0;
      if (x.shape[i] == 1) from[i] = 0;
    }
    from[along] = from_front(index.at(at), x.shape[along]);
    return x.at(from);
  });
}

Array index_add(const Array& x, int64_t axis, const Array& indices, const Array& updates) {
  Array result = x;
  for_each_index(updates.shape, [&](const Dims& place) {
    Dims target = place;
    int64_t& at = target[front_axis(axis, x)];
    at = from_front(indices.at({at}), x.shape[front_axis(axis, x)]);
    combine_at(result, target, updates.at(place), added);
  });
  return result;
}

Array segments(const Array& x, const Array& numbers, int64_t count, double start, const Combine& combine) {
  Dims shape = x.shape;
  shape[0] = count;
  Array result = generate(x.dtype, shape, [&](const Dims&) { return start; });
  for_each_index(x.shape, [&](const Dims& place) {
    Dims target = place;
    target[0] = from_front(numbers.at({place[0]}), count);
    combine_at(result, target, x.at(place), combine);
  });
  return result;
}

Array gather_nd(const Array& x, const Array& indices, int64_t batch) {
  const size_t shared = static_cast<size_t>(batch), last = indices.shape.size() - 1;
  const size_t end = shared + static_cast<size_t>(indices.shape.back());
  const Dims places = part(indices.shape, 0, last), rest = part(x.shape, end, x.shape.size());
  return generate(x.dtype, joined(places, rest), [&](const Dims& at) {
    const Dims place = part(at, 0, last);
    const Dims tuple = tuple_at(indices, place, part(x.shape, shared, end));
    return x.at(joined(joined(part(at, 0, shared), tuple), part(at, last, at.size())));
  });
}

Array scatter_nd(const Array& x, const Array& indices, const Array& updates, const Combine& combine) {
  Array result = x;
  const size_t last = indices.shape.size() - 1;
  for_each_index(updates.shape, [&](const Dims& at) {
    const Dims tuple = tuple_at(indices, part(at, 0, last), x.shape);
    combine_at(result, joined(tuple, part(at, last, at.size())), updates.at(at), combine);
  });
  return result;
}

Array random_coordinates(const Dims& places, const Dims& x, int64_t count, int64_t batch, uint64_t seed) {
  Random random(seed);
  return generate(DType::i32, joined(places, {count}), [&](const Dims& at) {
    const int64_t length = x[static_cast<size_t>(batch + at.back())];
    return static_cast<double>(random.integer(-length, length - 1));
  });
}

}  // namespace eglantine::test::naive

#include "support/reference/naive_indexing.hpp"

#include <algorithm>

#include "support/reference/naive.hpp"

namespace eglantine::test::naive {

namespace {

/// An axis of x or a new one, and what is read along it: these places in turn, or those of an array that all arrays
/// broadcast with.
struct Part {
  int64_t stride = 0, length = 1;
  std::vector<int64_t> places;
  std::optional<Array> array;
};

Array number_array(double value) { return {DType::i32, {}, {value}}; }

/// Python's range(*slice.indices(length)).
std::vector<int64_t> range(const Slice& slice, int64_t length) {
  int64_t start = slice.step > 0 ? 0 : length - 1, stop = slice.step > 0 ? length : -1;
  const auto bound = [&](int64_t value) {
    if (value < 0) value += length;
    if (slice.step > 0) return value < 0 ? 0 : value > length ? length : value;
    return value < -1 ? -1 : value >= length ? length - 1 : value;
  };
  if (slice.start) start = bound(*slice.start);
  if (slice.stop) stop = bound(*slice.stop);
  std::vector<int64_t> result;
  for (int64_t i = start; slice.step > 0 ? i < stop : i > stop; i += slice.step) result.push_back(i);
  return result;
}

/// The coordinates of the true elements along each axis of a mask; of one without axes, zeros.
std::vector<Array> coordinates(const Array& mask) {
  std::vector<Array> result(static_cast<size_t>(std::max(1, mask.rank())), Array{DType::i32, {0}, {}});
  for_each_index(mask.shape, [&](const Dims& at) {
    if (mask.at(at) == 0) return;
    for (size_t axis = 0; axis < result.size(); ++axis)
      result[axis].values.push_back(at.empty() ? 0 : static_cast<double>(at[axis]));
  });
  for (Array& each : result) each.shape = {each.size()};
  return result;
}

class Reader {
 public:
  Reader(const Dims& shape, const Items& items) : shape_(shape) {
    int64_t taken = 0;
    for (const Item& item : items) taken += takes(item);
    whole_ = static_cast<int64_t>(shape.size()) - taken;
    bool has_ellipsis = false;
    for (const Item& item : items) {
      add(item);
      has_ellipsis = has_ellipsis || std::holds_alternative<Ellipsis>(item);
    }
    if (!has_ellipsis) add(Item(Ellipsis()));
  }

  const std::vector<Part>& parts() const { return parts_; }

 private:
  static int64_t takes(const Item& item) {
    if (const auto* array = std::get_if<Array>(&item)) return array->dtype == DType::boolean ? array->rank() : 1;
    return std::holds_alternative<int64_t>(item) || std::holds_alternative<Slice>(item) ? 1 : 0;
  }

  void add(const Item& item) {
    if (const auto* place = std::get_if<int64_t>(&item)) return pick(number_array(static_cast<double>(*place)));
    if (const auto* slice = std::get_if<Slice>(&item)) return keep(*slice);
    if (std::holds_alternative<NewAxis>(item)) return parts_.push_back({0, 1, {0}, {}});
    if (const auto* array = std::get_if<Array>(&item)) return add(*array);
    for (int64_t i = 0; i < whole_; ++i) keep({});
    // It sets the arrays beside it apart even where it stands for no axis.
    parts_.push_back({0, -1, {}, {}});
  }
  void add(const Array& array) {
    if (array.dtype != DType::boolean) return pick(array);
    for (const Array& each : coordinates(array))
      if (array.rank() == 0)
        parts_.push_back({0, 1, {}, each});
      else
        pick(each);
  }
  int64_t stride() const {
    int64_t result = 1;
    for (size_t i = next_ + 1; i < shape_.size(); ++i) result *= shape_[i];
    return result;
  }
  void keep(const Slice& slice) {
    parts_.push_back({stride(), shape_[next_], range(slice, shape_[next_]), {}});
    ++next_;
  }
  void pick(const Array& places) {
    parts_.push_back({stride(), shape_[next_], {}, places});
    ++next_;
  }

  Dims shape_;
  int64_t whole_ = 0;
  size_t next_ = 0;
  std::vector<Part> parts_;
};

double element(const Array& x, const Dims& at) {
  Dims own;
  for (size_t i = 0; i < x.shape.size(); ++i) own.push_back(x.shape[i] == 1 ? 0 : at[at.size() - x.shape.size() + i]);
  return x.at(own);
}

}  // namespace

std::optional<Array> positions(const Dims& shape, const Items& items) {
  const Reader reader(shape, items);
  // Whether there are arrays other than integers, and the first and last of both among the parts.
  bool has_arrays = false, apart = false, ended = false;
  for (const Item& item : items) has_arrays = has_arrays || std::holds_alternative<Array>(item);
  Dims places, result;
  size_t at = 0;
  bool found = false;
  for (const Part& part : reader.parts()) {
    if (part.array) {
      if (!found) at = result.size();
      apart = apart || ended;
      found = true;
      places = broadcast(places, part.array->shape);
      continue;
    }
    ended = found;
    if (part.length >= 0) result.push_back(static_cast<int64_t>(part.places.size()));
  }
  if (apart && has_arrays) at = 0;
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(at), places.begin(), places.end());
  bool in_range = true;
  // Indices are looked at even where nothing is read.
  for (const Part& part : reader.parts())
    if (part.array)
      for (double place : part.array->values)
        in_range = in_range && place >= -static_cast<double>(part.length) && place < static_cast<double>(part.length);
  if (!in_range) return std::nullopt;
  return generate(DType::i32, result, [&](const Dims& coordinate) {
    const Dims of_places(coordinate.begin() + static_cast<std::ptrdiff_t>(at),
                         coordinate.begin() + static_cast<std::ptrdiff_t>(at + places.size()));
    Dims rest = coordinate;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at),
               rest.begin() + static_cast<std::ptrdiff_t>(at + places.size()));
    int64_t position = 0;
    size_t next = 0;
    for (const Part& part : reader.parts()) {
      if (part.array) {
        const auto place = static_cast<int64_t>(element(*part.array, of_places));
        position += (place < 0 ? place + part.length : place) * part.stride;
      } else if (part.length >= 0) {
        position += part.places[static_cast<size_t>(rest[next++])] * part.stride;
      }
    }
    return static_cast<double>(position);
  });
}

std::vector<Index> to_indices(const Items& items) {
  std::vector<Index> result;
  for (const Item& item : items) {
    if (const auto* place = std::get_if<int64_t>(&item)) result.push_back(*place);
    if (const auto* slice = std::get_if<Slice>(&item)) result.push_back(*slice);
    if (std::holds_alternative<NewAxis>(item)) result.push_back(newaxis);
    if (std::holds_alternative<Ellipsis>(item)) result.push_back(ellipsis);
    if (const auto* array = std::get_if<Array>(&item)) result.push_back(upload(*array));
  }
  return result;
}

}  // namespace eglantine::test::naive

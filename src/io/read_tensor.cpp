#include "io/read_tensor.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "eglantine/error.hpp"
#include "evaluate/upload.hpp"

namespace eglantine::io {
namespace {

/// Reads elements of a file's format, and gives those of its dtype.
class Converter {
 public:
  Converter(const ElementFormat& format, const ReadBytes& read) : format_(format), read_(read) {}

  void operator()(std::span<std::byte> to) {
    constexpr size_t part = 65536;  // elements: what is read is converted from a cache
    const auto from_bytes = static_cast<size_t>(format_.bytes), to_bytes = static_cast<size_t>(size_of_stored());
    const size_t count = to.size() / to_bytes;
    from_.resize(std::min(count, part) * from_bytes);
    for (size_t done = 0; done < count; done += part) {
      const size_t next = std::min(count - done, part);
      read_({from_.data(), next * from_bytes});
      format_.convert(from_.data(), to.data() + done * to_bytes, next, converted_ + done);
    }
    converted_ += count;
  }

 private:
  int64_t size_of_stored() const { return bytes_of(dense_storage(format_.dtype)); }

  const ElementFormat& format_;
  const ReadBytes& read_;
  std::vector<std::byte> from_;
  size_t converted_ = 0;
};

/// Reads big-endian elements as little-endian ones, by way of a part in a cache.
class Swapper {
 public:
  Swapper(int64_t bytes, const ReadBytes& read) : bytes_(bytes), read_(read) {}

  void operator()(std::span<std::byte> to) {
    constexpr size_t part_bytes = 65536;
    while (!to.empty()) {
      part_.resize(std::min(to.size(), part_bytes));
      read_(part_);
      for (auto element = part_.begin(); element != part_.end(); element += bytes_)
        std::reverse(element, element + bytes_);
      std::copy(part_.begin(), part_.end(), to.begin());
      to = to.subspan(part_.size());
    }
  }

 private:
  int64_t bytes_;
  const ReadBytes& read_;
  std::vector<std::byte> part_;
};

/// Of a tensor whose first axis varies fastest: the shape that it has read row-major, and the axes that turn it round.
Shape reversed(const Shape& shape) {
  std::vector<int64_t> lengths = shape.to_vector();
  std::reverse(lengths.begin(), lengths.end());
  return lengths;
}
Axes reversed_axes(int rank) {
  Axes axes;
  for (int i = rank - 1; i >= 0; --i) axes.push_back(i);
  return axes;
}

}  // namespace

Tensor read_tensor(const StoredTensor& stored, const ReadBytes& given, const Device& device) {
  const ElementFormat& format = *stored.format;
  const ReadBytes read = stored.big_endian ? Swapper(format.bytes, given) : given;
  const Shape shape = stored.column_major ? reversed(stored.shape) : stored.shape;
  const Tensor x(upload(format.convert == nullptr ? read : Converter(format, read), shape, format.dtype, device));
  return stored.column_major ? x.permute(reversed_axes(x.rank())) : x;
}

Shape checked_shape(const std::vector<int64_t>& lengths) {
  constexpr int64_t most = INT64_MAX / 8;
  if (lengths.size() > max_rank)
    throw FileError("it has " + std::to_string(lengths.size()) + " axes, and a tensor at most " +
                    std::to_string(max_rank));
  int64_t elements = 1;
  for (const int64_t length : lengths) {
    if (length != 0 && elements > most / length) throw FileError("its shape has more elements than 2^60");
    elements *= length == 0 ? 1 : length;
  }
  return lengths;
}

}  // namespace eglantine::io

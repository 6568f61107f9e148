#include "io/npy_stream.hpp"

#include <algorithm>
#include <string>

#include "eglantine/error.hpp"
#include "io/npy_header.hpp"

namespace eglantine::io {
namespace {

/// Appends the next `count` bytes to `text`.
void read_more(const ReadBytes& read, size_t count, std::string& text) {
  const size_t before = text.size();
  text.resize(before + count);
  read(std::as_writable_bytes(std::span(text).subspan(before)));
}

/// The header determines the size of the data, which is checked before that much memory is allocated.
void check_data_bytes(const StoredTensor& stored, uint64_t has) {
  const auto needs = static_cast<uint64_t>(stored.bytes());
  std::string descr = numpy_descr(*stored.format);
  if (stored.big_endian) descr.front() = '>';
  const std::string said = std::to_string(stored.shape.elements()) + " elements of '" + descr + "' take " +
                           std::to_string(needs) + " bytes, and " + std::to_string(has) + " follow the header";
  if (has < needs) throw FileError("it is truncated: " + said);
  if (has > needs) throw FileError("it has bytes left over: " + said);
}

StoredTensor read_header(const ReadBytes& read, uint64_t bytes) {
  std::string text;
  read_more(read, static_cast<size_t>(std::min<uint64_t>(bytes, npy_preamble_bytes)), text);
  const NpyRange range = npy_dictionary_range(text);
  if (range.end - range.begin > npy_most_header_bytes) {
    throw FileError("its header takes " + std::to_string(range.end - range.begin) +
                    " bytes; Eglantine reads headers of up to " + std::to_string(npy_most_header_bytes));
  }
  if (range.end > bytes) throw FileError("it is truncated in the header");
  if (range.end > text.size()) read_more(read, range.end - text.size(), text);
  const StoredTensor stored = parse_npy_dictionary(std::string_view(text).substr(range.begin, range.end - range.begin));
  check_data_bytes(stored, bytes - range.end);
  return stored;
}

}  // namespace

Tensor read_npy(const ReadBytes& read, uint64_t bytes, const Device& device) {
  const StoredTensor stored = read_header(read, bytes);
  return read_tensor(stored, read, device);
}

}  // namespace eglantine::io

#include <algorithm>
#include <bit>
#include <cerrno>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "io/npy_header.hpp"
#include "io/whole_file.hpp"
#include "large_pages.hpp"

namespace eglantine {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied to and from the file as they are");

std::string read_bytes(std::ifstream& file, size_t count) {
  std::string bytes(count, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

void read_elements(std::ifstream& file, void* to, int64_t bytes) {
  file.read(static_cast<char*>(to), bytes);
  if (file.gcount() != bytes) throw FileError("it changed, or could not be read, while it was read");
}

template <class T>
Tensor load_elements(std::ifstream& file, const io::NpyHeader& header, const Device& device) {
  auto values = fresh_vector<T>(static_cast<size_t>(header.shape.elements()));
  read_elements(file, values.data(), header.shape.elements() * io::npy_element_bytes(header.dtype));
  const MemoryOrder order = header.fortran_order ? MemoryOrder::column_major : MemoryOrder::row_major;
  return Tensor::from(std::span<const T>(values), header.shape, device, order);
}

template <>
Tensor load_elements<bool>(std::ifstream& file, const io::NpyHeader& header, const Device& device) {
  const auto count = static_cast<size_t>(header.shape.elements());
  std::vector<unsigned char> bytes(count);
  read_elements(file, bytes.data(), header.shape.elements());
  const auto odd = std::find_if(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte > 1; });
  if (odd != bytes.end()) {
    throw FileError("boolean " + std::to_string(odd - bytes.begin()) + " is stored as " + std::to_string(*odd) +
                    ", neither 0 nor 1");
  }
  const auto values = std::make_unique<bool[]>(count);
  std::transform(bytes.begin(), bytes.end(), values.get(), [](unsigned char byte) { return byte != 0; });
  const MemoryOrder order = header.fortran_order ? MemoryOrder::column_major : MemoryOrder::row_major;
  return Tensor::from(std::span<const bool>(values.get(), count), header.shape, device, order);
}

/// What the file must hold is known from its head, so its size is checked before anything of that size is allocated.
void check_data_bytes(const io::NpyHeader& header, size_t has) {
  const auto needs = static_cast<size_t>(header.shape.elements() * io::npy_element_bytes(header.dtype));
  const std::string said = std::to_string(header.shape.elements()) + " elements of " +
                           std::string(name_of(header.dtype)) + " take " + std::to_string(needs) + " bytes, and " +
                           std::to_string(has) + " follow the header";
  if (has < needs) throw FileError("it is truncated: " + said);
  if (has > needs) throw FileError("it has bytes left over: " + said);
}

io::NpyHeader read_header(std::ifstream& file, size_t file_bytes) {
  const io::NpyRange range = io::npy_dictionary_range(read_bytes(file, io::npy_preamble_bytes));
  if (range.end > file_bytes) throw FileError("it is truncated in the header");
  file.clear();  // a file shorter than the longest preamble has met its end
  file.seekg(static_cast<std::streamoff>(range.begin));
  const io::NpyHeader header = io::parse_npy_dictionary(read_bytes(file, range.end - range.begin));
  check_data_bytes(header, file_bytes - range.end);
  return header;
}

Tensor load(const std::filesystem::path& path, const Device& device) {
  if (is_directory(path)) throw FileError("it is a directory");
  const size_t file_bytes = std::filesystem::file_size(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::system_error(errno, std::generic_category());
  const io::NpyHeader header = read_header(file, file_bytes);
  switch (header.dtype) {
    case DType::i32:
      return load_elements<int32_t>(file, header, device);
    case DType::u32:
      return load_elements<uint32_t>(file, header, device);
    case DType::boolean:
      return load_elements<bool>(file, header, device);
    case DType::f32:
      break;
  }
  return load_elements<float>(file, header, device);
}

template <class T>
void save(const std::filesystem::path& path, const Tensor& x) {
  const std::vector<T> values = x.to_vector<T>();
  io::write_whole_file(path, io::make_npy_header(x.dtype(), x.shape()), std::as_bytes(std::span(values)));
}

template <>
void save<bool>(const std::filesystem::path& path, const Tensor& x) {
  const std::vector<bool> values = x.to_vector<bool>();
  const std::vector<unsigned char> bytes(values.begin(), values.end());
  io::write_whole_file(path, io::make_npy_header(x.dtype(), x.shape()), std::as_bytes(std::span(bytes)));
}

}  // namespace

Tensor load_npy(const std::filesystem::path& path, const Device& device) {
  try {
    return load(path, device);
  } catch (const FileError& error) {
    throw FileError("[load_npy] cannot load " + path.string() + ": " + error.what());
  } catch (const std::system_error& error) {
    throw FileError("[load_npy] cannot read " + path.string() + ": " + error.code().message());
  }
}

void save_npy(const std::filesystem::path& path, const Tensor& x) {
  try {
    switch (x.dtype()) {
      case DType::f32:
        return save<float>(path, x);
      case DType::i32:
        return save<int32_t>(path, x);
      case DType::u32:
        return save<uint32_t>(path, x);
      case DType::boolean:
        return save<bool>(path, x);
    }
  } catch (const std::system_error& error) {
    throw FileError("[save_npy] cannot write " + path.string() + ": " + error.code().message());
  }
}

}  // namespace eglantine

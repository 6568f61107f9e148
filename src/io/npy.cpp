#include <algorithm>
#include <bit>
#include <cerrno>
#include <fstream>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>

#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "element_types.hpp"
#include "io/npy_header.hpp"
#include "system/main_memory.hpp"
#include "system/whole_file.hpp"

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

void check_booleans(std::span<const unsigned char> bytes) {
  const auto odd = std::find_if(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte > 1; });
  if (odd == bytes.end()) return;
  throw FileError("boolean " + std::to_string(odd - bytes.begin()) + " is stored as " + std::to_string(*odd) +
                  ", neither 0 nor 1");
}

template <class T>
Tensor load_elements(std::ifstream& file, const io::NpyHeader& header, const Device& device) {
  const auto count = static_cast<size_t>(header.shape.elements());
  const std::unique_ptr<T[]> values = unset_array<T>(count);
  read_elements(file, values.get(), header.shape.elements() * io::npy_element_bytes(header.dtype));
  if constexpr (std::is_same_v<T, bool>) check_booleans({reinterpret_cast<const unsigned char*>(values.get()), count});
  const MemoryOrder order = header.fortran_order ? MemoryOrder::column_major : MemoryOrder::row_major;
  return Tensor::from(std::span<const T>(values.get(), count), header.shape, device, order);
}

/// The header determines the size of the data, which is checked before that much memory is allocated.
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
  if (range.end - range.begin > io::npy_most_header_bytes) {
    throw FileError("its header takes " + std::to_string(range.end - range.begin) +
                    " bytes; Eglantine reads headers of up to " + std::to_string(io::npy_most_header_bytes));
  }
  if (range.end > file_bytes) throw FileError("it is truncated in the header");
  file.clear();  // a file shorter than the longest preamble has reached its end
  file.seekg(static_cast<std::streamoff>(range.begin));
  const io::NpyHeader header = io::parse_npy_dictionary(read_bytes(file, range.end - range.begin));
  check_data_bytes(header, file_bytes - range.end);
  return header;
}

Tensor load_elements(std::ifstream& file, const io::NpyHeader& header, const Device& device) {
  return with_element_type(header.dtype, [&]<class T>() { return load_elements<T>(file, header, device); });
}

/// The error text for host memory that is not available.
std::string no_memory_text(DType dtype, const Shape& shape) {
  return "the host has no room for the " + std::to_string(shape.elements() * io::npy_element_bytes(dtype)) +
         " bytes of its " + std::to_string(shape.elements()) + " elements of " + std::string(name_of(dtype));
}

Tensor load(const std::filesystem::path& path, const Device& device) {
  if (is_directory(path)) throw FileError("it is a directory");
  const size_t file_bytes = std::filesystem::file_size(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::system_error(errno, std::generic_category());
  const io::NpyHeader header = read_header(file, file_bytes);
  try {
    return load_elements(file, header, device);
  } catch (const std::bad_alloc&) {
    throw OutOfMemoryError("[load_npy] cannot load " + path.string() + ": " +
                           no_memory_text(header.dtype, header.shape) + "; save the array in smaller files");
  }
}

template <class T>
void save(const std::filesystem::path& path, const Tensor& x) {
  const auto count = static_cast<size_t>(x.size());
  const std::unique_ptr<T[]> values = unset_array<T>(count);
  const std::span<T> all(values.get(), count);
  x.copy_to<T>(all);
  io::write_whole_file(path, io::make_npy_header(x.dtype(), x.shape()), std::as_bytes(all));
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
    with_element_type(x.dtype(), [&]<class T>() { save<T>(path, x); });
  } catch (const std::bad_alloc&) {
    throw OutOfMemoryError("[save_npy] cannot write " + path.string() + ": " + no_memory_text(x.dtype(), x.shape()) +
                           "; save it in smaller parts");
  } catch (const std::system_error& error) {
    throw FileError("[save_npy] cannot write " + path.string() + ": " + error.code().message());
  }
}

}  // namespace eglantine

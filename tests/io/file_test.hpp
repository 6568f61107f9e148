#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "eglantine/dtype.hpp"
#include "io/temporary_folder.hpp"
#include "support/array.hpp"
#include "support/devices.hpp"

namespace eglantine::test {

/// What tensors are saved of.
inline constexpr DType saved_dtypes[] = {DType::f32, DType::i32,  DType::u32, DType::boolean,
                                         DType::f16, DType::bf16, DType::i8,  DType::u8};

/// What NumPy's formats have of an array: bf16 as f32.
inline Array numpy_has(Array x) {
  if (x.dtype == DType::bf16) x.dtype = DType::f32;
  return x;
}

/// The bytes of a number, little endian, as files have them.
template <class T>
std::string bytes_of_number(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
template <class T>
std::string bytes_of_numbers(const std::vector<T>& values) {
  std::string bytes;
  for (const T value : values) bytes += bytes_of_number(value);
  return bytes;
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A .npy file of format 1.0 with an unpadded header, which readers must accept.
inline std::string npy_bytes(const std::string& descr, const std::string& order, const std::string& shape,
                             const std::string& data) {
  const std::string text = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + "}\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\0' + text + data;
}

/// A safetensors file with this header, not padded.
inline std::string safetensors_bytes(const std::string& header, const std::string& data) {
  return bytes_of_number(uint64_t{header.size()}) + header + data;
}

/// The same of one tensor "x".
inline std::string safetensors_bytes(const std::string& dtype, const std::string& shape, const std::string& data) {
  return safetensors_bytes(R"({"x":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":[0,)" +
                               std::to_string(data.size()) + "]}}",
                           data);
}

/// A test on each device, with a temporary folder of its own.
class FileTest : public DeviceTest {
 protected:
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }

  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

  const TemporaryFolder owned_;
  const std::filesystem::path folder_ = owned_.path();
};

}  // namespace eglantine::test

/// A suite of file tests that runs on each device under test.
#define EG_FILES_ON_EACH_DEVICE(Suite)                 \
  class Suite : public ::eglantine::test::FileTest {}; \
  EG_SUITE(Files, Suite, ::eglantine::test::device_specs())

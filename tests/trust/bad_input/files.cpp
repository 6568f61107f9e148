#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "trust/bad_input/row.hpp"

/// Files. What a header may not hold is in tests/io/npy_header_test.cpp, key by key.
namespace eglantine::test::bad_input {
namespace {

namespace fs = std::filesystem;

/// The path of a file of these bytes.
fs::path file_of(const std::string& name, const std::string& bytes) {
  const fs::path folder = fs::temp_directory_path() / ("eglantine-bad-input-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << bytes;
  return folder / name;
}

std::string npy(const std::string& descr, const std::string& shape, size_t data_bytes) {
  const std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}\n";
  return "\x93NUMPY\x01" + std::string(1, '\0') + static_cast<char>(text.size()) + std::string(1, '\0') + text +
         std::string(data_bytes, '\2');
}

void add_load(Rows& rows) {
  const auto missing = [&](const std::string& what, const fs::path& path, const std::string& message) {
    rows.push_back(row<FileError>(
        "load_npy", what, [=] { return load_npy(path); }, "[load_npy] " + message));
  };
  missing("no such file", "/no/such.npy", "cannot read /no/such.npy: No such file or directory");
  missing("an empty path", "", "cannot read : No such file or directory");
  missing("a folder", "/tmp", "cannot load /tmp: it is a directory");
  missing("a file as a folder", "/dev/null/x.npy", "cannot read /dev/null/x.npy: Not a directory");
  const auto wrong = [&](const std::string& name, const std::string& bytes, const std::string& message) {
    const fs::path path = file_of(name, bytes);
    missing(name, path, "cannot load " + path.string() + ": " + message);
  };
  wrong("text.npy", "hello, world", "it does not begin as a .npy file does");
  wrong("empty.npy", "", "it does not begin as a .npy file does");
  wrong("truncated.npy", npy("<f4", "(3,)", 8),
        "it is truncated: 3 elements of f32 take 12 bytes, and 8 follow the header");
  wrong("longer.npy", npy("<f4", "()", 8),
        "it has bytes left over: 1 elements of f32 take 4 bytes, and 8 follow the header");
  wrong("boolean.npy", npy("|b1", "(1,)", 1), "boolean 0 is stored as 2, neither 0 nor 1");
  wrong("f64.npy", npy("<f8", "(1,)", 8),
        "its dtype is '<f8'; Eglantine reads '<f4' (f32), '<i4' (i32), '<u4' (u32), '|b1' (boolean): convert it in "
        "NumPy with astype");
  wrong("rank.npy", npy("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", 4), "it has 9 axes, and a tensor at most 8");
  wrong("product.npy", npy("<f4", "(4294967296, 4294967296)", 0), "its shape has more elements than 2^60");
}

void add_save(Rows& rows) {
  const auto wrong = [&](const std::string& what, const fs::path& path, const std::string& message) {
    rows.push_back(row<FileError>(
        "save_npy", what, [=] { save_npy(path, of({3})); },
        "[save_npy] cannot write " + path.string() + ": " + message));
  };
  wrong("no such folder", "/no/such/x.npy", "No such file or directory");
  wrong("a folder", "/tmp", "Is a directory");
  wrong("a device file", "/dev/null", "Operation not supported");
  wrong("an empty path", "", "No such file or directory");
  add_moved_from(rows, "save_npy", [](const Tensor& x) {
    save_npy("/no/such/x.npy", x);
    return x;
  });
}

}  // namespace

void add_files(Rows& rows) {
  add_load(rows);
  add_save(rows);
  rows.insert(rows.end(), {row<FileError>(
                               "Profile::Profile", "no such folder", [] { return Profile("/no/such/trace.json"); },
                               "[Profile] /no/such/trace.json cannot be written: No such file or directory"),
                           row<FileError>(
                               "Profile::Profile", "a folder", [] { return Profile("/tmp"); },
                               "[Profile] /tmp cannot be written: Is a directory")});
}

}  // namespace eglantine::test::bad_input

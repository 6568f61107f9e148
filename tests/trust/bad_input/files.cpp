#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

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

/// The rows of a function that reads files: what `load` throws of paths that cannot be opened.
class LoadRows {
 public:
  LoadRows(Rows& rows, std::string function, std::function<void(const fs::path&)> load)
      : rows_(rows), function_(std::move(function)), load_(std::move(load)) {
    at("no such file", "/no/such.npy", "cannot read /no/such.npy: No such file or directory");
    at("an empty path", "", "cannot read \"\": No such file or directory");
    at("a folder", "/tmp", "cannot load /tmp: it is a directory");
    at("a file as a folder", "/dev/null/x.npy", "cannot read /dev/null/x.npy: Not a directory");
    at("a device file", "/dev/zero",
       "cannot load /dev/zero: it is a pipe, a socket or a device; copy what it gives to a file, and load that");
  }

  template <class E = FileError>
  void of(const std::string& name, const std::string& bytes, const std::string& message) {
    const fs::path path = file_of(function_ + "-" + name, bytes);
    at<E>(name, path, "cannot load " + path.string() + ": " + message);
  }

 private:
  template <class E = FileError>
  void at(const std::string& what, const fs::path& path, const std::string& message) {
    rows_.push_back(row<E>(
        function_, what, [load = load_, path] { load(path); }, "[" + function_ + "] " + message));
  }

  Rows& rows_;
  std::string function_;
  std::function<void(const fs::path&)> load_;
};

void add_load_npy(Rows& rows) {
  LoadRows wrong(rows, "load_npy", [](const fs::path& path) { load_npy(path); });
  wrong.of("text", "hello, world", "it does not begin as a .npy file does");
  wrong.of("empty", "", "it does not begin as a .npy file does");
  wrong.of("truncated", npy("<f4", "(3,)", 8),
           "it is truncated: 3 elements of '<f4' take 12 bytes, and 8 follow the header");
  wrong.of("longer", npy("<f4", "()", 8),
           "it has bytes left over: 1 elements of '<f4' take 4 bytes, and 8 follow the header");
  wrong.of("boolean", npy("|b1", "(1,)", 1), "boolean 0 is stored as 2, neither 0 nor 1");
  wrong.of("complex", npy("<c8", "(1,)", 8),
           "it holds complex numbers, '<c8'; save their .real and .imag as two arrays");
  wrong.of("rank", npy("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", 4), "it has 9 axes, and a tensor at most 8");
  wrong.of("product", npy("<f4", "(4294967296, 4294967296)", 0), "its shape has more elements than 2^60");
  wrong.of<DTypeError>("integer", npy("<i8", "(1,)", 8),
                       "element 0 is 144680345676153346, which does not fit i32, and integers of 64 bits are read as "
                       "i32: convert them to floats, or make them smaller, before they are saved");
}

void add_load_npz(Rows& rows) {
  LoadRows wrong(rows, "load_npz", [](const fs::path& path) { load_npz(path); });
  wrong.of("text", "hello, world", "it is no zip archive that can be read, as .npz files are (Not a zip archive)");
  wrong.of("empty", "", "it is no zip archive that can be read, as .npz files are (Not a zip archive)");
  wrong.of("npy", npy("<f4", "(1,)", 4),
           "it is no zip archive that can be read, as .npz files are (Not a zip archive)");
}

std::string safetensors(const std::string& header, size_t data_bytes) {
  return std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header +
         std::string(data_bytes, '\2');
}

void add_wrong_safetensors(LoadRows wrong) {
  const auto one = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"({"x":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  wrong.of(
      "text", "hello, world",
      "its header takes 8583909746840200552 bytes, if it is a safetensors file; their headers have up to 100000000");
  wrong.of("empty", "", "it is truncated in the first bytes");
  wrong.of("json", safetensors("{\"x\":}", 0), "its header is no JSON, at byte 5");
  wrong.of("twice", safetensors(R"({"x":1,"x":1})", 0), "its header has the key \"x\" twice in one object");
  wrong.of("truncated", safetensors(one("F32", "[2]", "[0,8]"), 7),
           "it is truncated: its tensors take 8 bytes, and 7 follow the header");
  wrong.of("longer", safetensors(one("F32", "[2]", "[0,8]"), 9),
           "it has bytes left over: its tensors take 8 bytes, and 9 follow the header");
  wrong.of("hole", safetensors(one("F32", "[2]", "[4,12]"), 12), "bytes 0 to 4 of its data belong to no tensor");
  wrong.of("offsets", safetensors(one("F32", "[2]", "[0,9]"), 9),
           "tensor \"x\": its 2 elements of F32 take 8 bytes, and its data_offsets give it 9");
  wrong.of("rank", safetensors(one("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4),
           "tensor \"x\": it has 9 axes, and a tensor at most 8");
}

void add_load_safetensors(Rows& rows) {
  LoadRows wrong(rows, "load_safetensors", [](const fs::path& path) { load_safetensors(path); });
  add_wrong_safetensors(wrong);
  wrong.of("boolean", safetensors(R"({"x":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", 1),
           "tensor \"x\": boolean 0 is stored as 2, neither 0 nor 1");
  wrong.of<DTypeError>("integer", safetensors(R"({"x":{"dtype":"U64","shape":[],"data_offsets":[0,8]}})", 8),
                       "tensor \"x\": element 0 is 144680345676153346, which does not fit u32, and integers of 64 bits "
                       "are read as u32: convert them to floats, or make them smaller, before they are saved");
  add_wrong_safetensors({rows, "safetensors_metadata", [](const fs::path& path) { safetensors_metadata(path); }});
}

/// The rows of a function that writes a tensor to a path.
void add_save(Rows& rows, const std::string& function,
              const std::function<void(const fs::path&, const Tensor&)>& save) {
  const auto wrong = [&](const std::string& what, const fs::path& path, const std::string& message) {
    rows.push_back(row<FileError>(
        function, what, [=] { save(path, of({3})); },
        "[" + function + "] cannot write " + (path.empty() ? "\"\"" : path.string()) + ": " + message));
  };
  wrong("no such folder", "/no/such/x.npy", "No such file or directory");
  wrong("a folder", "/tmp", "Is a directory");
  wrong("a device file", "/dev/null",
        "it is a pipe, a socket or a device, which a file would replace; name another path");
  wrong("an empty path", "", "No such file or directory");
  add_moved_from(rows, function, [=](const Tensor& x) {
    save("/no/such/x.npy", x);
    return x;
  });
}

void add_saves(Rows& rows) {
  add_save(rows, "save_npy", [](const fs::path& path, const Tensor& x) { save_npy(path, x); });
  add_save(rows, "save_npz", [](const fs::path& path, const Tensor& x) { save_npz(path, {{"x", x}}); });
  add_save(rows, "save_safetensors", [](const fs::path& path, const Tensor& x) {
    save_safetensors(path, {{"x", x}}, {{"key", "value"}});
  });
  const std::string path = file_of("x.npz", "").string();
  const auto wrong = [&](const std::string& function, const std::string& what, auto save, const std::string& message) {
    rows.push_back(row<FileError>(function, what, save, "[" + function + "] cannot write " + path + ": " + message));
  };
  wrong(
      "save_npz", "a name that is not UTF-8",
      [=] {
        save_npz(path, {{"\xff", of({3})}});
      },
      "member \"\xff.npy\": its name is not UTF-8, or longer than the 65535 bytes that archives have for one");
  wrong(
      "save_safetensors", "a name that is not UTF-8",
      [=] {
        save_safetensors(path, {{"\xff", of({3})}});
      },
      "the name \"\xff\" is not UTF-8");
  wrong(
      "save_safetensors", "the metadata's name",
      [=] {
        save_safetensors(path, {{"__metadata__", of({3})}});
      },
      "no tensor can have the name __metadata__, which is the metadata's");
  wrong(
      "save_safetensors", "metadata that is not UTF-8",
      [=] {
        save_safetensors(path, {}, {{"key", "\xff"}});
      },
      "the metadata of \"key\", \"\xff\" is not UTF-8");
}

}  // namespace

void add_files(Rows& rows) {
  add_load_npy(rows);
  add_load_npz(rows);
  add_load_safetensors(rows);
  add_saves(rows);
  rows.insert(rows.end(), {row<FileError>(
                               "Profile::Profile", "no such folder", [] { return Profile("/no/such/trace.json"); },
                               "[Profile] /no/such/trace.json cannot be written: No such file or directory"),
                           row<FileError>(
                               "Profile::Profile", "a folder", [] { return Profile("/tmp"); },
                               "[Profile] /tmp cannot be written: Is a directory")});
}

}  // namespace eglantine::test::bad_input

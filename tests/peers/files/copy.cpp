#include <iostream>
#include <string>

#include "eglantine/eglantine.hpp"

/// eglantine_copy_file <device> <from> <to>: reads the tensors of a file, and writes them as another. What a file's
/// name ends in says its format; a .npy file has one tensor, "x".
namespace {

using namespace eglantine;
namespace fs = std::filesystem;
using Tensors = std::map<std::string, Tensor>;

Tensors load(const fs::path& path) {
  if (path.extension() == ".npy") return {{"x", load_npy(path)}};
  return path.extension() == ".npz" ? load_npz(path) : load_safetensors(path);
}

void save(const fs::path& path, const Tensors& tensors) {
  if (path.extension() == ".npy") return save_npy(path, tensors.at("x"));
  path.extension() == ".npz" ? save_npz(path, tensors) : save_safetensors(path, tensors);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 4) {
    std::cerr << "usage: eglantine_copy_file <device> <from> <to>\n";
    return 2;
  }
  Device::set_current(Device::open(arguments[1]));
  save(arguments[3], load(arguments[2]));
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}

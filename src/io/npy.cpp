#include "eglantine/io.hpp"
#include "io/about_file.hpp"
#include "io/host_copy.hpp"
#include "io/npy_header.hpp"
#include "io/npy_stream.hpp"
#include "system/input_file.hpp"
#include "system/whole_file.hpp"

namespace eglantine {

Tensor load_npy(const std::filesystem::path& path, const Device& device) {
  return io::loading("load_npy", path, [&] {
    const io::InputFile file(path);
    const auto read = [&file, next = uint64_t{0}](std::span<std::byte> to) mutable {
      file.read_at(next, to);
      next += to.size();
    };
    return io::read_npy(read, file.bytes(), device);
  });
}

void save_npy(const std::filesystem::path& path, const Tensor& x) {
  io::saving("save_npy", path, [&] {
    const Tensor saved = io::as_numpy_has(x);
    const io::HostCopy elements(saved);
    io::WholeFile file(path);
    file.write(io::make_npy_header(saved.dtype(), saved.shape()));
    file.write(elements.bytes());
    file.commit();
  });
}

}  // namespace eglantine

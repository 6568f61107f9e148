#include <algorithm>
#include <bit>

#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "io/about_file.hpp"
#include "io/host_copy.hpp"
#include "io/safetensors_header.hpp"
#include "system/input_file.hpp"
#include "system/whole_file.hpp"

namespace eglantine {
namespace {

/// A file's header, and where it ends.
struct OpenHeader : io::SafetensorsHeader {
  uint64_t end = 0;
};

OpenHeader read_header(const io::InputFile& file) {
  constexpr uint64_t before = io::safetensors_length_bytes;
  if (file.bytes() < before) throw FileError("it is truncated in the first bytes");
  uint64_t bytes = 0;
  file.read_at(0, std::as_writable_bytes(std::span(&bytes, 1)));
  if (bytes > io::safetensors_most_header_bytes)
    throw FileError("its header takes " + std::to_string(bytes) +
                    " bytes, if it is a safetensors file; their headers have up to " +
                    std::to_string(io::safetensors_most_header_bytes));
  if (bytes > file.bytes() - before) throw FileError("it is truncated in the header");
  std::string text(bytes, '\0');
  file.read_at(before, std::as_writable_bytes(std::span(text)));
  return {io::parse_safetensors_header(text, file.bytes() - before - bytes), before + bytes};
}

/// In safetensors' order: the largest elements first, so that all are aligned, then by name.
io::SafetensorsHeader header_of(const std::map<std::string, Tensor>& tensors,
                                const std::map<std::string, std::string>& metadata) {
  io::SafetensorsHeader header{{}, metadata};
  for (const auto& [name, x] : tensors) header.parts.push_back({name, {&io::format_of(x.dtype()), x.shape()}});
  std::stable_sort(header.parts.begin(), header.parts.end(),
                   [](const auto& a, const auto& b) { return a.stored.format > b.stored.format; });
  return header;
}

}  // namespace

std::map<std::string, Tensor> load_safetensors(const std::filesystem::path& path, const Device& device) {
  return io::loading("load_safetensors", path, [&] {
    const io::InputFile file(path);
    const OpenHeader header = read_header(file);
    std::map<std::string, Tensor> tensors;
    for (const io::SafetensorsPart& part : header.parts) {
      const auto read = [&file, next = header.end + part.begin](std::span<std::byte> to) mutable {
        file.read_at(next, to);
        next += to.size();
      };
      tensors[part.name] =
          io::about("tensor " + io::in_quotes(part.name), [&] { return io::read_tensor(part.stored, read, device); });
    }
    return tensors;
  });
}

std::map<std::string, std::string> safetensors_metadata(const std::filesystem::path& path) {
  return io::loading("safetensors_metadata", path, [&] { return read_header(io::InputFile(path)).metadata; });
}

void save_safetensors(const std::filesystem::path& path, const std::map<std::string, Tensor>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  io::saving("save_safetensors", path, [&] {
    io::SafetensorsHeader header = header_of(tensors, metadata);
    const std::string text = io::make_safetensors_header(header);
    io::eval_all(tensors);
    io::WholeFile file(path);
    file.write(text);
    for (const io::SafetensorsPart& part : header.parts)
      io::about("tensor " + io::in_quotes(part.name), [&] { file.write(io::HostCopy(tensors.at(part.name)).bytes()); });
    file.commit();
  });
}

}  // namespace eglantine

#include <algorithm>
#include <array>

#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "io/about_file.hpp"
#include "io/host_copy.hpp"
#include "io/npy_header.hpp"
#include "io/npy_stream.hpp"
#include "io/zip_reader.hpp"
#include "io/zip_writer.hpp"

namespace eglantine {
namespace {

constexpr std::string_view suffix = ".npy";

std::string without_suffix(const std::string& name) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

/// Gives a header, then a tensor's elements, which it holds on the host as long as it lives.
ReadBytes npy_bytes(const Tensor& x) {
  const auto header = std::make_shared<const std::string>(io::make_npy_header(x.dtype(), x.shape()));
  const io::HostCopy elements(x);
  std::array left{std::as_bytes(std::span(*header)), elements.bytes()};
  return [header, elements, left](std::span<std::byte> to) mutable {
    for (std::span<const std::byte>& part : left) {
      const size_t count = std::min(to.size(), part.size());
      std::copy_n(part.begin(), count, to.begin());
      part = part.subspan(count);
      to = to.subspan(count);
    }
  };
}

io::ZipMember member_of(const std::string& name, const Tensor& x) {
  const uint64_t elements = static_cast<uint64_t>(x.size() * io::format_of(x.dtype()).bytes);
  return {name + std::string(suffix), io::make_npy_header(x.dtype(), x.shape()).size() + elements,
          [&name, &x] { return io::about("tensor " + io::in_quotes(name), [&] { return npy_bytes(x); }); }};
}

}  // namespace

std::map<std::string, Tensor> load_npz(const std::filesystem::path& path, const Device& device) {
  return io::loading("load_npz", path, [&] {
    const io::InputFile file(path);
    const io::ZipReader archive(file);
    std::map<std::string, Tensor> tensors;
    for (size_t i = 0; i < archive.members().size(); ++i) {
      const auto& [member, bytes] = archive.members()[i];
      const std::string name = without_suffix(member);
      if (tensors.contains(name)) throw FileError("two of its members are tensor " + io::in_quotes(name));
      tensors[name] = io::about("member " + io::in_quotes(member),
                                [&, size = bytes] { return io::read_npy(archive.open(i), size, device); });
    }
    return tensors;
  });
}

void save_npz(const std::filesystem::path& path, const std::map<std::string, Tensor>& tensors) {
  io::saving("save_npz", path, [&] {
    std::map<std::string, Tensor> saved;
    for (const auto& [name, x] : tensors) saved[name] = io::as_numpy_has(x);
    io::eval_all(saved);
    std::vector<io::ZipMember> members;
    for (const auto& [name, x] : saved) members.push_back(member_of(name, x));
    io::WholeFile file(path);
    io::write_zip(file, std::move(members));
    file.commit();
  });
}

}  // namespace eglantine

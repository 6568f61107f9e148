#include "dataset.hpp"

#include <zlib.h>

#include <memory>
#include <stdexcept>

const char* const class_names[Dataset::classes] = {"T-shirt", "Trouser", "Pullover", "Dress", "Coat",
                                                   "Sandal",  "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

namespace {

std::vector<uint8_t> unzip(const std::filesystem::path& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file)
    throw std::runtime_error(
        path.string() +
        ": cannot be read; install the Debian package dataset-fashion-mnist, or name its folder with --data");
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> chunk(1 << 20);
  int got = 0;
  while ((got = gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()))) > 0)
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + got);
  if (got < 0) throw std::runtime_error(path.string() + ": is not a whole gzip file");
  return bytes;
}

int64_t big_endian(const std::vector<uint8_t>& bytes, size_t at) {
  return int64_t{bytes[at]} << 24 | int64_t{bytes[at + 1]} << 16 | int64_t{bytes[at + 2]} << 8 | int64_t{bytes[at + 3]};
}

/// The bytes after an IDX header of `rank` lengths: magic number 0x0800 + rank, then each length, big endian.
std::vector<uint8_t> read_idx(const std::filesystem::path& path, size_t rank, int64_t item_bytes) {
  std::vector<uint8_t> bytes = unzip(path);
  const size_t header = 4 + 4 * rank;
  if (bytes.size() < header || big_endian(bytes, 0) != 0x0800 + static_cast<int64_t>(rank))
    throw std::runtime_error(path.string() + ": is no IDX file of rank " + std::to_string(rank));
  if (static_cast<int64_t>(bytes.size() - header) != big_endian(bytes, 4) * item_bytes)
    throw std::runtime_error(path.string() + ": its length does not match its header");
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<int64_t>(header));
  return bytes;
}

}  // namespace

Dataset load_dataset(const std::filesystem::path& folder, const std::string& prefix) {
  Dataset data;
  for (uint8_t pixel : read_idx(folder / (prefix + "-images-idx3-ubyte.gz"), 3, Dataset::pixels))
    data.images.push_back(static_cast<float>(pixel) / 255.0F);
  for (uint8_t label : read_idx(folder / (prefix + "-labels-idx1-ubyte.gz"), 1, 1)) {
    if (label >= Dataset::classes)
      throw std::runtime_error(prefix + ": a label is " + std::to_string(label) + ", the classes are 0 to 9");
    data.labels.push_back(label);
  }
  if (data.count() * Dataset::pixels != static_cast<int64_t>(data.images.size()))
    throw std::runtime_error(prefix + ": there are not as many images as labels");
  return data;
}

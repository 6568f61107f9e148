#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/read_tensor.hpp"

/// The header of a safetensors file, as text (https://huggingface.co/docs/safetensors).
namespace eglantine::io {

/// Before the header: its length, little endian.
inline constexpr uint64_t safetensors_length_bytes = 8;

/// The limit of the format's reference implementation.
inline constexpr uint64_t safetensors_most_header_bytes = 100'000'000;

/// The key of the metadata among those of the tensors.
inline constexpr std::string_view safetensors_metadata_key = "__metadata__";

/// A tensor of the file.
struct SafetensorsPart {
  std::string name;
  StoredTensor stored;
  uint64_t begin = 0, end = 0;  ///< of its elements, from the header's end
};

struct SafetensorsHeader {
  std::vector<SafetensorsPart> parts;  ///< in the order of their elements, without holes or overlaps
  std::map<std::string, std::string> metadata;
};

/// `text`: for example {"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}, then blanks. Throws FileError, without
/// the file's name, for any other text, for elements that no tensor holds, and for parts that overlap, leave holes or
/// do not fill the `data_bytes` that follow the header.
SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_bytes);

/// The length and the header, padded with spaces so that the elements are aligned to 8 bytes; the offsets of the parts
/// are set: in their order, each after the last. Throws FileError for names and metadata that are not UTF-8, for the
/// name of the metadata, and for more text than the limit.
std::string make_safetensors_header(SafetensorsHeader& header);

}  // namespace eglantine::io

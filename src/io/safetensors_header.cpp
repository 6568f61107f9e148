#include "io/safetensors_header.hpp"

#include <algorithm>

#include "eglantine/error.hpp"
#include "io/about_file.hpp"
#include "io/safetensors_json.hpp"

namespace eglantine::io {
namespace {

void check_order(const std::vector<SafetensorsPart>& parts, uint64_t data_bytes) {
  uint64_t end = 0;
  const std::string* last = nullptr;
  for (const SafetensorsPart& part : parts) {
    if (part.begin < end) throw FileError("tensors " + in_quotes(*last) + " and " + in_quotes(part.name) + " overlap");
    if (part.begin > end)
      throw FileError("bytes " + std::to_string(end) + " to " + std::to_string(part.begin) +
                      " of its data belong to no tensor");
    end = part.end;
    last = &part.name;
  }
  const std::string said =
      "its tensors take " + std::to_string(end) + " bytes, and " + std::to_string(data_bytes) + " follow the header";
  if (end > data_bytes) throw FileError("it is truncated: " + said);
  if (end < data_bytes) throw FileError("it has bytes left over: " + said);
}

std::string text_of(const SafetensorsPart& part) {
  std::string shape;
  for (const int64_t length : part.stored.shape) shape += (shape.empty() ? "" : ",") + std::to_string(length);
  return json_text(part.name, "the name") + R"(:{"dtype":")" + std::string(part.stored.format->safetensors) +
         R"(","shape":[)" + shape + R"(],"data_offsets":[)" + std::to_string(part.begin) + "," +
         std::to_string(part.end) + "]}";
}

std::string text_of(const std::map<std::string, std::string>& metadata) {
  std::string text;
  for (const auto& [key, value] : metadata)
    text += (text.empty() ? "" : ",") + json_text(key, "the metadata's key") + ":" +
            json_text(value, "the metadata of " + in_quotes(key) + ",");
  return "\"" + std::string(safetensors_metadata_key) + "\":{" + text + "}";
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_bytes) {
  SafetensorsHeader header = parse_safetensors_json(text);
  std::stable_sort(header.parts.begin(), header.parts.end(), [](const SafetensorsPart& a, const SafetensorsPart& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  check_order(header.parts, data_bytes);
  return header;
}

std::string make_safetensors_header(SafetensorsHeader& header) {
  std::string text = header.metadata.empty() ? "" : text_of(header.metadata);
  uint64_t end = 0;
  for (SafetensorsPart& part : header.parts) {
    if (part.name == safetensors_metadata_key)
      throw FileError("no tensor can have the name __metadata__, which is the metadata's");
    part.begin = end;
    part.end = end += static_cast<uint64_t>(part.stored.bytes());
    text += (text.empty() ? "" : ",") + text_of(part);
  }
  text = "{" + text + "}";
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > safetensors_most_header_bytes)
    throw FileError("its header takes " + std::to_string(text.size()) + " bytes; safetensors headers have up to " +
                    std::to_string(safetensors_most_header_bytes));
  std::string length;
  for (size_t i = 0; i < safetensors_length_bytes; ++i) length += static_cast<char>(text.size() >> 8 * i);
  return length + text;
}

}  // namespace eglantine::io

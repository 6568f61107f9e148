#include "io/safetensors_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "eglantine/error.hpp"
#include "io/about_file.hpp"

namespace eglantine::io {
namespace {

using Json = nlohmann::json;

/// Throws where the text is no JSON, and for what nlohmann's parser accepts: keys that come twice, more depth than a
/// header has. (Json::parse with a callback would tell of these, in a time quadratic in the number of tensors.)
class Checker : public nlohmann::json_sax<Json> {
 public:
  bool start_object(size_t) override { return enter(); }
  bool start_array(size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(std::string& key) override {
    if (keys_.back().insert(key).second) return true;
    throw FileError("its header has the key " + in_quotes(key) + " twice in one object");
  }
  bool parse_error(size_t position, const std::string&, const Json::exception& error) override {
    constexpr int number_overflow = 406;
    if (error.id == number_overflow) throw FileError("its header has a number that is larger than any");
    throw FileError("its header is no JSON, at byte " + std::to_string(position - 1));
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(int64_t) override { return true; }
  bool number_unsigned(uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(Json::binary_t&) override { return true; }

 private:
  bool enter() {
    constexpr size_t most = 3;  // the header, a tensor, its shape
    if (keys_.size() == most) throw FileError("its header is nested deeper than 3, which no safetensors header is");
    keys_.emplace_back();
    return true;
  }
  bool leave() {
    keys_.pop_back();
    return true;
  }

  std::vector<std::unordered_set<std::string>> keys_;  ///< of each open object; none of an array
};

Json parse(std::string_view text) {
  if (!text.starts_with('{')) throw FileError("its header does not begin with {, as a safetensors header does");
  // The parser would take a null character for the end of the text.
  if (const size_t at = text.find('\0'); at != std::string_view::npos)
    throw FileError("its header is no JSON, at byte " + std::to_string(at));
  Checker checker;
  Json::sax_parse(text, &checker);
  return Json::parse(text);
}

const Json& member(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw FileError(std::string("it has no \"") + key + "\"");
  return *found;
}

std::vector<uint64_t> whole_numbers(const Json& object, const char* key) {
  const Json& array = member(object, key);
  const bool whole = array.is_array() && std::all_of(array.begin(), array.end(), [](const Json& each) {
                       return each.is_number_unsigned() && each.get<uint64_t>() <= INT64_MAX;
                     });
  if (!whole) throw FileError(std::string("its ") + key + " is no list of whole numbers from 0 to 2^63 - 1");
  return array.get<std::vector<uint64_t>>();
}

const ElementFormat* read_dtype(const Json& object) {
  const Json& dtype = member(object, "dtype");
  if (!dtype.is_string()) throw FileError("its dtype is no string");
  const auto name = dtype.get<std::string>();
  if (const ElementFormat* format = find_safetensors_format(name)) return format;
  throw FileError("its dtype is " + in_quotes(name) + "; Eglantine reads " + list_of_safetensors_formats() +
                  ": convert it before it is saved");
}

void check_keys(const Json& object) {
  if (!object.is_object()) throw FileError("it is described by no object");
  for (const auto& [key, value] : object.items())
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      throw FileError("it has the unknown key " + in_quotes(key));
}

SafetensorsPart read_part(const std::string& name, const Json& object) {
  check_keys(object);
  SafetensorsPart part{name, {read_dtype(object), {}}};
  const std::vector<uint64_t> lengths = whole_numbers(object, "shape"), offsets = whole_numbers(object, "data_offsets");
  part.stored.shape = checked_shape({lengths.begin(), lengths.end()});
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    throw FileError("its data_offsets are not two numbers, the second no smaller than the first");
  part.begin = offsets[0];
  part.end = offsets[1];
  const auto needs = static_cast<uint64_t>(part.stored.bytes());
  if (part.end - part.begin != needs)
    throw FileError("its " + std::to_string(part.stored.shape.elements()) + " elements of " +
                    std::string(part.stored.format->safetensors) + " take " + std::to_string(needs) +
                    " bytes, and its data_offsets give it " + std::to_string(part.end - part.begin));
  return part;
}

std::map<std::string, std::string> read_metadata(const Json& object) {
  if (!object.is_object()) throw FileError("its __metadata__ is no object");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) throw FileError("its __metadata__ of " + in_quotes(key) + " is no string");
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

}  // namespace

SafetensorsHeader parse_safetensors_json(std::string_view text) {
  const Json root = parse(text);
  SafetensorsHeader header;
  for (const auto& [name, object] : root.items()) {
    if (name == safetensors_metadata_key) {
      header.metadata = read_metadata(object);
      continue;
    }
    try {
      header.parts.push_back(read_part(name, object));
    } catch (const FileError&) {
      throw_about("tensor " + in_quotes(name));
    }
  }
  return header;
}

std::string json_text(const std::string& text, const std::string& what) {
  try {
    return Json(text).dump();
  } catch (const Json::type_error&) {
    throw FileError(what + " " + in_quotes(text) + " is not UTF-8");
  }
}

}  // namespace eglantine::io

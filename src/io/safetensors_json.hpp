#pragma once

#include "io/safetensors_header.hpp"

/// The JSON of a safetensors file's header; its library is included here alone, since it takes long to compile.
namespace eglantine::io {

/// The parts, each possible by itself, in the order of their names. Throws FileError where they are not, and for text
/// that is no JSON, nested deeper than headers are, or has a key twice.
SafetensorsHeader parse_safetensors_json(std::string_view text);

/// A string as JSON writes it. Throws FileError that names it after `what`, unless it is UTF-8.
std::string json_text(const std::string& text, const std::string& what);

}  // namespace eglantine::io

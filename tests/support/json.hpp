#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eglantine::test {

/// A JSON value, for tests of the library's output.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json>;

  /// Throws std::runtime_error with the position for anything that RFC 8259 does not allow.
  static Json parse(std::string_view text);

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  double number() const { return std::get<double>(value_); }
  const std::string& text() const { return std::get<std::string>(value_); }
  const Array& array() const { return std::get<Array>(value_); }
  const Object& object() const { return std::get<Object>(value_); }
  bool has(const std::string& name) const { return object().count(name) > 0; }
  const Json& operator[](const std::string& name) const { return object().at(name); }

 private:
  friend class JsonParser;
  std::variant<std::nullptr_t, bool, double, std::string, Array, Object> value_ = nullptr;
};

}  // namespace eglantine::test

#include "support/json.hpp"

#include <charconv>
#include <stdexcept>

namespace eglantine::test {

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Json whole() {
    Json value = any();
    skip_space();
    if (at_ != text_.size()) fail("the end");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& wanted) const {
    throw std::runtime_error("JSON, byte " + std::to_string(at_) + ": " + wanted + " is wanted, not \"" +
                             std::string(text_.substr(at_, 20)) + "\"");
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void require(char c) {
    if (!take(c)) fail(std::string(1, c));
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Json any() {
    skip_space();
    Json json;
    if (peek() == '{')
      json.value_ = object();
    else if (peek() == '[')
      json.value_ = array();
    else if (peek() == '"')
      json.value_ = string();
    else if (take_word("true"))
      json.value_ = true;
    else if (take_word("false"))
      json.value_ = false;
    else if (!take_word("null"))
      json.value_ = number();
    return json;
  }

  Json::Object object() {
    Json::Object members;
    require('{');
    if (take('}')) return members;
    do {
      skip_space();
      const std::string name = string();
      require(':');
      if (!members.emplace(name, any()).second) fail("each name once (" + name + ")");
    } while (take(','));
    require('}');
    return members;
  }

  Json::Array array() {
    Json::Array elements;
    require('[');
    if (take(']')) return elements;
    do elements.push_back(any());
    while (take(','));
    require(']');
    return elements;
  }

  std::string string() {
    if (peek() != '"') fail("a string");
    ++at_;
    std::string text;
    while (peek() != '"') {
      if (static_cast<unsigned char>(peek()) < 0x20) fail("no bare control character");
      text += peek() == '\\' ? escaped() : text_[at_++];
    }
    ++at_;
    return text;
  }

  char escaped() {
    ++at_;
    const size_t which = std::string_view("\"\\/bfnrt").find(peek());
    if (which != std::string_view::npos) {
      ++at_;
      return "\"\\/\b\f\n\r\t"[which];
    }
    if (peek() != 'u') fail("an escape");
    int code = 0;
    const char* digits = text_.data() + at_ + 1;
    if (at_ + 5 > text_.size() || std::from_chars(digits, digits + 4, code, 16).ptr != digits + 4 || code > 127)
      fail("four hexadecimal digits of an ASCII character");
    at_ += 5;
    return static_cast<char>(code);
  }

  double number() {
    double value = 0;
    const char* start = text_.data() + at_;
    const auto [end, error] = std::from_chars(start, text_.data() + text_.size(), value);
    const bool starts_well = peek() == '-' || (peek() >= '0' && peek() <= '9');
    if (error != std::errc() || !starts_well) fail("a value");
    at_ += static_cast<size_t>(end - start);
    return value;
  }

  std::string_view text_;
  size_t at_ = 0;
};

Json Json::parse(std::string_view text) { return JsonParser(text).whole(); }

}  // namespace eglantine::test

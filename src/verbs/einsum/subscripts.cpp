#include "verbs/einsum/subscripts.hpp"

#include <algorithm>

#include "check/check.hpp"

namespace eglantine::verbs {

namespace {

/// Of ASCII, whatever the locale.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string quoted(char c) {
  if (c >= ' ' && c <= '~') return std::string("'") + c + "'";
  return "the byte " + std::to_string(static_cast<unsigned char>(c));
}

Subscript implicit_output(const std::vector<Subscript>& operands) {
  std::string all;
  Subscript output;
  for (const Subscript& one : operands) {
    all += one.letters;
    if (one.ellipsis) output.ellipsis = 0;
  }
  std::sort(all.begin(), all.end());
  for (const char letter : all)
    if (std::count(all.begin(), all.end(), letter) == 1) output.letters += letter;
  return output;
}

/// Reads symbol by symbol; `place_` is the one in hand.
class SubscriptReader {
 public:
  explicit SubscriptReader(std::string_view text) : text_(text) { result_.operands.emplace_back(); }

  Subscripts read() {
    result_.text = text_;
    for (; place_ < text_.size(); ++place_) symbol(text_[place_]);
    if (!in_output_) result_.output = implicit_output(result_.operands);
    return result_;
  }

 private:
  void symbol(char c) {
    if (c == ' ') return;
    if (is_letter(c)) return letter(c);
    if (c == ',') return comma();
    if (c == '.') return ellipsis();
    if (c == '-' || c == '>') return arrow();
    fail(quoted(c), " is no label; labels are letters");
  }

  Subscript& current() { return in_output_ ? result_.output : result_.operands.back(); }

  void letter(char c) {
    if (in_output_) check_output(c);
    current().letters += c;
  }

  void check_output(char c) {
    if (result_.output.letters.find(c) != std::string::npos) fail(quoted(c), " stands in the output already");
    const auto has = [c](const Subscript& one) { return one.letters.find(c) != std::string::npos; };
    if (std::none_of(result_.operands.begin(), result_.operands.end(), has))
      fail(quoted(c), " labels no operand's axis");
  }

  void comma() {
    if (in_output_) fail("',' stands in the output, which is one tensor");
    result_.operands.emplace_back();
  }

  void ellipsis() {
    if (text_.substr(place_, 3) != "...") fail("'.' is not part of an ellipsis, \"...\"");
    if (current().ellipsis) fail("a second ellipsis of one subscript");
    current().ellipsis = current().letters.size();
    place_ += 2;
  }

  void arrow() {
    if (text_.substr(place_, 2) != "->") fail(quoted(text_[place_]), " is not part of an arrow, \"->\"");
    if (in_output_) fail("a second arrow");
    in_output_ = true;
    ++place_;
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    check::fail<Error>("einsum", "\"", text_, "\", at ", std::to_string(place_), ": ", parts...);
  }

  std::string_view text_;
  size_t place_ = 0;
  bool in_output_ = false;
  Subscripts result_;
};

}  // namespace

std::string to_string(const Subscript& subscript) {
  std::string text = subscript.letters;
  if (subscript.ellipsis) text.insert(*subscript.ellipsis, "...");
  return text;
}

Subscripts parse_subscripts(std::string_view text) { return SubscriptReader(text).read(); }

}  // namespace eglantine::verbs

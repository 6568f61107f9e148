#include <cctype>

#include "check/check.hpp"
#include "graph/kernel/kernel.hpp"

/// Requirements on a user's operation. Its GLSL is not parsed, but none that passes leaves the parentheses around it.
namespace eglantine::check {

namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// A user's GLSL, with what its errors name.
class Expression {
 public:
  Expression(std::string_view function, const std::string& name, const std::string& glsl, std::string_view example)
      : function_(function), name_(name), glsl_(glsl), example_(example) {}

  void check() {
    require_moderate_length();
    require_plain_characters();
    remove_comments();
    if (code_.find_first_not_of(" \t\r\n") == std::string::npos) reject("is empty");
    require_one_expression();
    require_names_of_its_own();
    require_functions_to_be_called();
  }

 private:
  template <class... Parts>
  [[noreturn]] void reject(const Parts&... parts) const {
    fail<Error>(function_, "the GLSL of \"", name_, "\" ", parts..., ": give one expression, such as \"", example_,
                "\"");
  }

  /// Compilers recurse over expressions: Mesa 22.3 takes 750 bytes of the device thread's stack for each term of a + a
  /// + ..., which is 6 MiB for the longest text allowed, however many operations share a kernel.
  void require_moderate_length() const {
    constexpr size_t longest = 16384;
    if (glsl_.size() > longest)
      fail<ShaderError>(function_, "the GLSL of \"", name_, "\" has ", std::to_string(glsl_.size()),
                        " characters, and more than ", std::to_string(longest),
                        " do not compile safely; divide it into several operations");
  }

  /// A backslash joins lines, and could draw our next line into a comment; other control characters differ by driver.
  void require_plain_characters() const {
    for (size_t i = 0; i < glsl_.size(); ++i) {
      const char c = glsl_[i];
      if (c == '\\') reject("has a backslash");
      const bool line_end = c == '\n' || (c == '\r' && i + 1 < glsl_.size() && glsl_[i + 1] == '\n');
      if (std::iscntrl(static_cast<unsigned char>(c)) != 0 && c != '\t' && !line_end) reject("has a control character");
    }
  }

  void remove_comments() {
    for (size_t i = 0; i < glsl_.size(); ++i) {
      const std::string_view rest = std::string_view(glsl_).substr(i);
      if (rest.starts_with("//")) {
        i += std::min(rest.find('\n'), rest.size()) - 1;
      } else if (rest.starts_with("/*")) {
        const size_t end = rest.find("*/", 2);
        if (end == std::string_view::npos) reject("has a comment that does not end");
        i += end + 1;
        code_ += ' ';
      } else {
        code_ += glsl_[i];
      }
    }
  }

  void require_one_expression() const {
    std::string open;
    for (char c : code_) {
      const std::string text(1, c);
      if (c == ';' || c == '{' || c == '}' || c == '#') reject("has a '", text, "'");
      if (c == ',' && open.empty()) reject("has a ',' outside parentheses");
      if (c == '(' || c == '[') open += c;
      if (c != ')' && c != ']') continue;
      if (open.empty() || open.back() != (c == ')' ? '(' : '[')) reject("has a '", text, "' that closes nothing");
      open.pop_back();
    }
    if (!open.empty()) reject("has a '", open.substr(open.size() - 1), "' that nothing closes");
  }

  /// The GLSL may use neither the generated program's names nor the built-in variables.
  void require_names_of_its_own() const {
    for (size_t i = 0; i < code_.size();) {
      size_t end = i;
      while (end < code_.size() && in_name(code_[end])) ++end;
      const std::string_view word = std::string_view(code_).substr(i, end - i);
      for (std::string_view prefix : {"eg_", "EG_", "gl_", "Eg"})
        if (word.starts_with(prefix)) reject("uses ", word, ", a name that is not its own");
      i = std::max(end, i + 1);
    }
  }

  /// Mesa 22.3 crashes reporting a call of an indexed expression, 1.0[0](x0); only array constructors may look so.
  void require_functions_to_be_called() const {
    for (size_t at = code_.find('('); at != std::string::npos; at = code_.find('(', at + 1)) {
      size_t end = end_of_code_before(at);
      if (end == 0 || code_[end - 1] != ']') continue;
      while (end > 0 && code_[end - 1] == ']') end = end_of_code_before(opening_of(end - 1));
      size_t begin = end;
      while (begin > 0 && in_name(code_[begin - 1])) --begin;
      if (!is_type(std::string_view(code_).substr(begin, end - begin))) reject("calls what is no function");
    }
  }

  size_t end_of_code_before(size_t at) const {
    while (at > 0 && std::isspace(static_cast<unsigned char>(code_[at - 1])) != 0) --at;
    return at;
  }

  /// The position of the bracket that matches `closing`; brackets are known to match.
  size_t opening_of(size_t closing) const {
    int depth = 0;
    for (size_t i = closing;; --i) {
      if (code_[i] == ')' || code_[i] == ']') ++depth;
      if ((code_[i] == '(' || code_[i] == '[') && --depth == 0) return i;
    }
  }

  /// Whether the word names a scalar, vector or matrix type, judged by its beginning.
  static bool is_type(std::string_view word) {
    for (std::string_view scalar : {"float", "int", "uint", "bool"})
      if (word == scalar) return true;
    for (std::string_view start : {"vec", "ivec", "uvec", "bvec", "mat"})
      if (word.starts_with(start)) return true;
    return false;
  }

  std::string_view function_;
  const std::string& name_;
  const std::string& glsl_;
  std::string_view example_;
  std::string code_;  ///< without comments
};

void require_name(std::string_view function, const std::string& name) {
  if (name.empty()) fail<Error>(function, "the operation has no name; explain() and errors want one");
  for (char c : name)
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0)
      fail<Error>(function, "the operation's name has a control character");
}

void require_function(std::string_view function, const std::string& name, bool present) {
  if (!present) fail<Error>(function, "\"", name, "\" has no cpu function; it must run on every device");
}

}  // namespace

void require_whole(std::string_view function, const ElementwiseOp& op) {
  require_name(function, op.name);
  if (op.arity < 1 || op.arity > max_custom_arity)
    fail<Error>(function, "\"", op.name, "\" has an arity of ", std::to_string(op.arity), "; it must be from 1 to ",
                std::to_string(max_custom_arity));
  Expression(function, op.name, op.glsl, "max(x0, 0.0)").check();
  require_function(function, op.name, op.cpu != nullptr);
}

void require_whole(std::string_view function, const ReduceOp& op) {
  require_name(function, op.name);
  Expression(function, op.name, op.glsl, "max(a, b)").check();
  require_function(function, op.name, op.cpu != nullptr);
}

}  // namespace eglantine::check

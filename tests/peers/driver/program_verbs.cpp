#include <string>

#include "peers/driver/verbs.hpp"

namespace eglantine::peers {
namespace {

/// Puts value 3 in the place of the text "@3", also in lists.
void resolve(Value& argument, const List& values) {
  if (List* list = std::get_if<List>(&argument.is))
    for (Value& one : *list) resolve(one, values);
  const std::string* text = std::get_if<std::string>(&argument.is);
  if (text != nullptr && text->starts_with('@')) argument = Value(values.at(std::stoul(text->substr(1))));
}

Value applied(const List& step, const List& values) {
  const Verb* verb = find_verb(Read<std::string>::from(step.at(0)));
  if (verb == nullptr) throw std::logic_error("no such verb");
  List arguments = Read<List>::from(step.at(1));
  for (Value& one : arguments) resolve(one, values);
  return (*verb)(arguments);
}

/// Of a list of leaves, a list of steps, each a verb's name and its arguments (and what more is for
/// readers), and the numbers of the values that are
/// wanted: those. The leaves count first, then what the steps give, each of several results by itself.
Value program(const List& of) {
  List values = Read<List>::from(of.at(0)), wanted;
  for (const Value& step : Read<List>::from(of.at(1))) {
    Value result = applied(Read<List>::from(step), values);
    if (const List* several = std::get_if<List>(&result.is))
      values.insert(values.end(), several->begin(), several->end());
    else
      values.push_back(std::move(result));
  }
  for (const Value& number : Read<List>::from(of.at(2))) wanted.push_back(values.at(Read<uint64_t>::from(number)));
  return {wanted};
}

}  // namespace

const VerbTable& program_verbs() {
  static const VerbTable table = {{"program", program}};
  return table;
}

}  // namespace eglantine::peers

#include <iostream>
#include <sstream>

#include "eglantine/error.hpp"
#include "peers/driver/verbs.hpp"
#include "support/devices.hpp"

/// usage: eglantine_verbs <device>: calls verbs for a program in another language. A request on the input is three
/// values (value.hpp): the verb's name, the list of its arguments, and whether to read the tensors among these again
/// behind the call. The answer on the output is two: "ok" and the result, or the list of it and of the arguments;
/// "error" and the list of the error's type and text ("misuse": the arguments are not this verb's); or "unknown" and
/// the verb's name. The end of the input ends the program.
namespace eglantine::peers {

const Verb* find_verb(const std::string& name) {
  for (const VerbTable* table : {&elementwise_verbs(), &reduction_verbs(), &movement_verbs(), &index_verbs(),
                                 &network_verbs(), &gradient_verbs(), &program_verbs()})
    if (const auto found = table->find(name); found != table->end()) return &found->second;
  return nullptr;
}

namespace {

std::string type_of(const Error& error) {
  if (dynamic_cast<const ShapeError*>(&error) != nullptr) return "ShapeError";
  if (dynamic_cast<const DTypeError*>(&error) != nullptr) return "DTypeError";
  if (dynamic_cast<const IndexError*>(&error) != nullptr) return "IndexError";
  if (dynamic_cast<const DeviceError*>(&error) != nullptr) return "DeviceError";
  if (dynamic_cast<const OutOfMemoryError*>(&error) != nullptr) return "OutOfMemoryError";
  if (dynamic_cast<const ShaderError*>(&error) != nullptr) return "ShaderError";
  return "Error";
}

std::string answer(const std::string& status, const Value& value) {
  std::ostringstream bytes;
  write_value(bytes, {status});
  write_value(bytes, value);
  return bytes.str();
}

/// Each argument that is one; None for the others.
Value tensors_of(const List& arguments) {
  List tensors;
  for (const Value& one : arguments) tensors.push_back(std::holds_alternative<Tensor>(one.is) ? one : Value{None{}});
  return {tensors};
}

/// Without `keep` nothing holds the arguments when the result is computed, so that a verb may write in place.
std::string run(const std::string& name, List& arguments, bool keep) {
  const Verb* verb = find_verb(name);
  if (verb == nullptr) return answer("unknown", {name});
  try {
    const Value result = (*verb)(arguments);
    if (keep) {
      std::ostringstream computed;  // before the arguments are read
      write_value(computed, result);
      return answer("ok", {List{result, tensors_of(arguments)}});
    }
    arguments.clear();
    return answer("ok", result);
  } catch (const Error& error) {
    return answer("error", {List{{type_of(error)}, {std::string(error.what())}}});
  } catch (const std::logic_error& error) {
    return answer("error", {List{{std::string("misuse")}, {name + ": " + error.what()}}});
  }
}

}  // namespace
}  // namespace eglantine::peers

int main(int count, char** arguments) {
  using namespace eglantine;
  using namespace eglantine::peers;
  if (count != 2) return std::cerr << "usage: eglantine_verbs <device>\n", 2;
  std::ios::sync_with_stdio(false);
  Device::set_current(test::open_device(arguments[1]));
  while (std::cin.peek() != std::char_traits<char>::eof()) {
    const auto name = Read<std::string>::from(read_value(std::cin));
    Value list = read_value(std::cin);
    const auto keep = Read<bool>::from(read_value(std::cin));
    std::cout << run(name, std::get<List>(list.is), keep) << std::flush;
    try {
      Device::current().synchronize();  // an index out of range that nobody read is this verb's, not the next one's
    } catch (const Error&) {
    }
  }
}

#include "peers/driver/value.hpp"

#include <cstring>
#include <istream>
#include <ostream>
#include <stdexcept>

#include "element_types.hpp"
#include "support/views.hpp"

namespace eglantine::peers {
namespace {

template <class T>
T read_number(std::istream& in) {
  T number{};
  if (!in.read(reinterpret_cast<char*>(&number), sizeof number)) throw std::runtime_error("the input ends in a value");
  return number;
}

std::string read_text(std::istream& in) {
  std::string text(static_cast<size_t>(read_number<int64_t>(in)), '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
    throw std::runtime_error("the input ends in a text");
  return text;
}

DType dtype_named(const std::string& name) {
  for (const DType dtype : {DType::f32, DType::i32, DType::u32, DType::boolean})
    if (name_of(dtype) == name) return dtype;
  throw std::runtime_error("no dtype is called " + name);
}

double read_element(std::istream& in, DType dtype) {
  switch (dtype) {
    case DType::f32:
      return read_number<float>(in);
    case DType::i32:
      return read_number<int32_t>(in);
    case DType::u32:
      return read_number<uint32_t>(in);
    case DType::f16:
      return read_number<half>(in);
    case DType::bf16:
      return read_number<bfloat16>(in);
    case DType::i8:
      return read_number<int8_t>(in);
    default:
      return read_number<uint8_t>(in);
  }
}

Tensor read_tensor(std::istream& in) {
  test::Array array;
  array.dtype = dtype_named(read_text(in));
  const std::string view = read_text(in);
  array.shape.resize(static_cast<size_t>(read_number<int64_t>(in)));
  for (int64_t& length : array.shape) length = read_number<int64_t>(in);
  array.values.resize(static_cast<size_t>(test::count(array.shape)));
  for (double& element : array.values) element = read_element(in, array.dtype);
  return test::view(view).hold(array).tensor;
}

std::optional<int64_t> read_bound(std::istream& in) {
  const Value bound = read_value(in);
  const int64_t* place = std::get_if<int64_t>(&bound.is);
  return place == nullptr ? std::nullopt : std::optional<int64_t>(*place);
}

List read_list(std::istream& in) {
  List list;
  for (int64_t left = read_number<int64_t>(in); left > 0; --left) list.push_back(read_value(in));
  return list;
}

template <class T>
void write_number(std::ostream& out, T number) {
  out.write(reinterpret_cast<const char*>(&number), sizeof number);
}

void write_text(std::ostream& out, std::string_view text) {
  write_number(out, static_cast<int64_t>(text.size()));
  out << text;
}

template <class T>
void write_elements(std::ostream& out, const Tensor& x) {
  for (const T element : x.to_vector<T>()) write_number(out, element);
}

struct Writer {
  std::ostream& out;

  void operator()(None) { out << 'N'; }
  void operator()(bool truth) { out << 'b' << (truth ? '\1' : '\0'); }
  void operator()(int64_t number) { write_number(out << 'i', number); }
  void operator()(double number) { write_number(out << 'f', number); }
  void operator()(const std::string& text) { write_text(out << 's', text); }
  void operator()(const auto&) { throw std::logic_error("no verb gives an index"); }
  void operator()(const List& list) {
    write_number(out << 'L', static_cast<int64_t>(list.size()));
    for (const Value& value : list) write_value(out, value);
  }
  void operator()(const Tensor& x) {
    write_text(out << 'T', name_of(x.dtype()));
    write_text(out, "");
    write_number(out, static_cast<int64_t>(x.rank()));
    for (const int64_t length : x.shape()) write_number(out, length);
    with_element_type(x.dtype(), [&]<class T>() { write_elements<T>(out, x); });
  }
};

}  // namespace

Value read_value(std::istream& in) {
  const char letter = read_number<char>(in);
  switch (letter) {
    case 'N':
      return {None{}};
    case 'b':
      return {read_number<char>(in) != 0};
    case 'i':
      return {read_number<int64_t>(in)};
    case 'f':
      return {read_number<double>(in)};
    case 's':
      return {read_text(in)};
    case 'L':
      return {read_list(in)};
    case 'S': {
      const std::optional<int64_t> start = read_bound(in), stop = read_bound(in);
      return {Slice{start, stop, read_bound(in).value_or(1)}};
    }
    case 'A':
      return {newaxis};
    case 'E':
      return {ellipsis};
    case 'T':
      return {read_tensor(in)};
    default:
      throw std::runtime_error(std::string("no value begins with ") + letter);
  }
}

void write_value(std::ostream& out, const Value& value) { std::visit(Writer{out}, value.is); }

}  // namespace eglantine::peers

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "eglantine/operand.hpp"
#include "peers/driver/value.hpp"

/// Functions of the library as functions of values: what each parameter is read from follows from its type.
namespace eglantine::peers {

/// Throws std::logic_error for arguments that are not the function's, whatever the function throws for those that are.
using Verb = std::function<Value(const List&)>;
using VerbTable = std::map<std::string_view, Verb>;

template <class T>
struct Read {
  static T from(const Value& value) {
    if (const T* as = std::get_if<T>(&value.is)) return *as;
    throw std::logic_error("an argument is not of its parameter's type");
  }
};

template <>
struct Read<List> {
  static const List& from(const Value& value) {
    if (const List* list = std::get_if<List>(&value.is)) return *list;
    throw std::logic_error("an argument is no list");
  }
};

template <class T>
struct ReadWhole {
  static T from(const Value& value) { return static_cast<T>(Read<int64_t>::from(value)); }
};
template <>
struct Read<int> : ReadWhole<int> {};
template <>
struct Read<uint64_t> : ReadWhole<uint64_t> {};

template <>
struct Read<Scalar> {
  static Scalar from(const Value& value) {
    if (const bool* truth = std::get_if<bool>(&value.is)) return *truth;
    if (const int64_t* whole = std::get_if<int64_t>(&value.is)) return *whole;
    return Read<double>::from(value);
  }
};
template <>
struct Read<Tensor> {  // nothing is no tensor
  static Tensor from(const Value& value) {
    return std::holds_alternative<None>(value.is) ? Tensor() : std::get<Tensor>(value.is);
  }
};
template <>
struct Read<Operand> {
  static Operand from(const Value& value) {
    if (const Tensor* tensor = std::get_if<Tensor>(&value.is)) return *tensor;
    return Read<Scalar>::from(value);
  }
};
template <>
struct Read<float> {
  static float from(const Value& value) { return static_cast<float>(Read<double>::from(value)); }
};
template <>
struct Read<DType> {
  static DType from(const Value& value) {
    for (const DType dtype : {DType::f32, DType::i32, DType::u32, DType::boolean})
      if (name_of(dtype) == Read<std::string>::from(value)) return dtype;
    throw std::logic_error("no such dtype");
  }
};
template <>
struct Read<std::string_view> {  // the value outlives the call
  static std::string_view from(const Value& value) { return std::get<std::string>(value.is); }
};
template <class T>
struct Read<std::optional<T>> {
  static std::optional<T> from(const Value& value) {
    if (std::holds_alternative<None>(value.is)) return std::nullopt;
    return Read<T>::from(value);
  }
};
template <class T>
struct Read<std::vector<T>> {
  static std::vector<T> from(const Value& value) {
    std::vector<T> list;
    for (const Value& one : Read<List>::from(value)) list.push_back(Read<T>::from(one));
    return list;
  }
};
template <class A, class B>
struct Read<std::pair<A, B>> {
  static std::pair<A, B> from(const Value& value) {
    const List& both = Read<List>::from(value);
    return {Read<A>::from(both.at(0)), Read<B>::from(both.at(1))};
  }
};
template <>
struct Read<Shape> {
  static Shape from(const Value& value) { return Shape(Read<std::vector<int64_t>>::from(value)); }
};
template <>
struct Read<Axes> {
  static Axes from(const Value& value) { return Axes(Read<std::vector<int64_t>>::from(value)); }
};
template <>
struct Read<Index> {
  static Index from(const Value& value) {
    return std::visit(
        []<class T>(const T& is) -> Index {
          if constexpr (!std::is_same_v<T, bool> && std::is_convertible_v<T, Index::Value>)
            return Index(is);
          else
            throw std::logic_error("no index of this type");
        },
        value.is);
  }
};

template <class T>
Value to_value(const T& result) {
  if constexpr (std::is_constructible_v<Value::Any, T>)
    return {result};
  else
    return {List(result)};
}
inline Value to_value(const Shape& shape) { return {List(shape.begin(), shape.end())}; }
template <class T>
Value to_value(const std::vector<T>& results) {
  List list;
  for (const T& one : results) list.push_back(to_value(one));
  return {list};
}
template <class A, class B>
Value to_value(const std::pair<A, B>& both) {
  return {List{to_value(both.first), to_value(both.second)}};
}

/// Hands the values to a function in their order; a Device is no value, but the current one.
class Arguments {
 public:
  explicit Arguments(const List& list) : list_(list) {}
  template <class T>
  std::remove_cvref_t<T> next() {
    if constexpr (std::is_same_v<std::remove_cvref_t<T>, Device>)
      return Device::current();
    else if (place_ < list_.size())
      return Read<std::remove_cvref_t<T>>::from(list_[place_++]);
    throw std::logic_error("an argument is missing");
  }
  void finish() const {
    if (place_ != list_.size()) throw std::logic_error("there are too many arguments");
  }

 private:
  const List& list_;
  size_t place_ = 0;
};

template <class R, class... A>
Verb call(R (*function)(A...)) {
  return [function](const List& list) {
    Arguments arguments(list);
    std::tuple<std::remove_cvref_t<A>...> taken{arguments.next<A>()...};
    arguments.finish();
    return to_value(std::apply(function, taken));
  };
}

template <class R, class... A>
Verb call(R (Tensor::*function)(A...) const) {
  return [function](const List& list) {
    Arguments arguments(list);
    std::tuple<Tensor, std::remove_cvref_t<A>...> taken{arguments.next<Tensor>(), arguments.next<A>()...};
    arguments.finish();
    return to_value(std::apply(std::mem_fn(function), taken));
  };
}

/// One of a function's overloads, by its type: choose<Tensor(const Tensor&, int)>(eglantine::argmax).
template <class F>
Verb choose(F* function) {
  return call(function);
}

}  // namespace eglantine::peers

/// A line of a table: the verb of this name, which has no overloads.
#define EG_VERB(name) \
  { #name, ::eglantine::peers::call(::eglantine::name) }

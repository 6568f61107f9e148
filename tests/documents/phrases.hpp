#pragma once

#include <algorithm>
#include <cmath>
#include <eglantine/eglantine.hpp>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <numbers>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/// What the programs that phrases.awk makes of documents are written with.
namespace eglantine::documents {

/// `(f(), Nothing{})` is the value of f(), and Nothing where that is void.
struct Nothing {};
template <class T>
T operator,(T&& value, Nothing) {
  return std::forward<T>(value);
}

// How the value of an expression prints: as in NumPy, parts of it on lines of their own.
inline std::string text_of(Nothing) { return "nothing"; }
inline std::string text_of(const std::ostream&) { return "nothing"; }
inline std::string text_of(bool value) { return value ? "true" : "false"; }
inline std::string text_of(const std::string& text) { return text; }
inline std::string text_of(DType dtype) { return std::string(name_of(dtype)); }
inline std::string text_of(const Device& device) { return device.info().kind; }
std::string text_of(const Layout& layout);

template <class T>
std::string text_of(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

template <class T>
std::string text_of(const std::vector<T>& values) {
  std::string all;
  if constexpr (std::is_same_v<T, Tensor>)
    for (const Tensor& value : values) all += (all.empty() ? "" : "\n") + text_of(value);
  else
    for (const T& value : values) all += (all.empty() ? "" : ", ") + text_of(value);
  return all;
}

template <class A, class B>
std::string text_of(const std::pair<A, B>& both) {
  return text_of(both.first) + "\n" + text_of(both.second);
}

template <class K, class V>
std::string text_of(const std::map<K, V>& all) {
  std::string text;
  for (const auto& [key, value] : all) text += (text.empty() ? "" : "\n") + text_of(key) + ": " + text_of(value);
  return text;
}

/// Where the expected text of a value stands in its document: from `line` on, `lines` of them.
struct Place {
  enum Kind { behind, below, cell, none };
  int line, lines;
  Kind kind;
};

/// The checks of one document. A fraction matches within 1e-5 of itself: processors differ in last digits.
class Phrases {
 public:
  explicit Phrases(std::string file) : file_(std::move(file)) {}

  /// The next example or row, on the device that was current at first.
  void begin(const std::string& name);

  template <class T>
  void check(Place place, const std::string& wanted, const T& value) {
    const std::string got = text_of(value);
    compare(place, wanted, got, place.kind == Place::none || same_text(wanted, got));
  }
  /// What is thrown is compared as "type: message"; without a text nothing may be thrown.
  void threw(Place place, const std::string& wanted, const std::exception& error);

  int checked() const { return checked_; }
  int failed() const { return failed_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Puts what was computed in the place of the texts that differ.
  void write() const;

 private:
  static bool same_text(const std::string& a, const std::string& b);
  void compare(Place place, const std::string& wanted, const std::string& got, bool matches);

  std::string file_;
  Device device_ = Device::current();
  std::vector<std::string> names_;
  std::vector<std::pair<Place, std::string>> differ_;
  int checked_ = 0, failed_ = 0;
};

}  // namespace eglantine::documents

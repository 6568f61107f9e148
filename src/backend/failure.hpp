#pragma once

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace eglantine {

/// A worker's error, thrown as a copy to each thread: thread sanitizers miss libstdc++'s count of a shared exception.
class Failure {
 public:
  Failure() = default;  ///< no error
  template <class E>
  static Failure of(std::string message) {
    return Failure({[](const Details& details) { throw E(details.message); }, std::move(message), nullptr});
  }
  static Failure current();  ///< the exception being handled; of a type the library does not throw, kept and shared

  explicit operator bool() const { return details_ != nullptr; }
  [[noreturn]] void raise() const;
  void mark_reported() const { details_->reported = true; }  ///< a copy was thrown to a reader; on the worker only
  bool is_reported() const { return details_->reported; }

 private:
  struct Details {
    void (*raise)(const Details&);
    std::string message;
    std::exception_ptr foreign;
    mutable bool reported = false;
  };
  explicit Failure(Details details) : details_(std::make_shared<const Details>(std::move(details))) {}
  template <class... Known>
  static Failure of_known(const std::exception& error);

  std::shared_ptr<const Details> details_;
};

}  // namespace eglantine

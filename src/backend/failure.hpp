#pragma once

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace eglantine {

/// An error on a worker, which every thread that asks throws as an exception of its own: one that threads share is
/// released by libstdc++'s own reference count, which a thread sanitizer cannot see.
class Failure {
 public:
  Failure() = default;  ///< no error
  template <class E>
  static Failure of(std::string message) {
    return Failure({[](const Details& details) { throw E(details.message); }, std::move(message), nullptr});
  }
  /// The exception being handled. One of a type that the library does not throw itself is kept and shared.
  static Failure current();

  explicit operator bool() const { return details_ != nullptr; }
  [[noreturn]] void raise() const;
  /// Some copy of it has been thrown to a reader. On the worker only.
  void mark_reported() const { details_->reported = true; }
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

#pragma once

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace eglantine {

/// What went wrong on a worker, for every thread that asks: each throws an exception of its own. Threads that shared
/// one would have to agree who lets it go last, which is libstdc++'s own business and which a thread sanitizer cannot
/// see.
class Failure {
 public:
  Failure() = default;  ///< nothing went wrong
  template <class E>
  static Failure of(std::string message) {
    return Failure({[](const Details& details) { throw E(details.message); }, std::move(message), nullptr});
  }
  /// The exception being handled. A type that the library does not throw itself is kept as it is, and shared.
  static Failure current();

  explicit operator bool() const { return details_ != nullptr; }
  [[noreturn]] void raise() const;
  /// Somebody has received it, by any of its copies. On the worker alone.
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

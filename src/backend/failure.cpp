#include "backend/failure.hpp"

#include <typeinfo>

#include "eglantine/error.hpp"

namespace eglantine {

/// Empty unless the exception's type is exactly one of these: a derived class may hold more than a message.
template <class... Known>
Failure Failure::of_known(const std::exception& error) {
  Failure made;
  ((typeid(error) == typeid(Known) ? static_cast<void>(made = of<Known>(error.what())) : void()), ...);
  return made;
}

Failure Failure::current() {
  try {
    throw;
  } catch (const std::exception& error) {
    Failure known =
        of_known<Error, ShapeError, DTypeError, IndexError, DeviceError, OutOfMemoryError, ShaderError, FileError,
                 std::runtime_error, std::logic_error, std::invalid_argument, std::out_of_range>(error);
    if (known) return known;
  } catch (...) {  // a user's function may throw anything
  }
  return Failure(
      {[](const Details& details) { std::rethrow_exception(details.foreign); }, {}, std::current_exception()});
}

void Failure::raise() const {
  details_->raise(*details_);
  std::terminate();
}

}  // namespace eglantine

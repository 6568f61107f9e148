#pragma once

#include <stdexcept>
#include <string>

#include "eglantine/export.hpp"

namespace eglantine {

/// Base of everything Eglantine throws. what() starts with the function in brackets, says what it got and what it
/// wanted:
/// `[matmul] inner sizes differ: axis 1 of a is 4, axis 0 of b is 5: (3, 4) and (5, 6)`.
class EGLANTINE_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A shape, rank, axis or tile size that the function cannot work with.
class EGLANTINE_API ShapeError : public Error {
 public:
  using Error::Error;
};

/// A dtype that the function does not take, or two that differ.
class EGLANTINE_API DTypeError : public Error {
 public:
  using Error::Error;
};

/// An index or slice bound outside its axis.
class EGLANTINE_API IndexError : public Error {
 public:
  using Error::Error;
};

/// A device that cannot be opened, was lost, or does not hold the tensor.
class EGLANTINE_API DeviceError : public Error {
 public:
  using Error::Error;
};

/// Memory ran out, a device's or the host's: says how much was asked and, of a device, held and free.
class EGLANTINE_API OutOfMemoryError : public Error {
 public:
  using Error::Error;
};

/// A shader that does not compile or link: shows its numbered source and the driver's log.
class EGLANTINE_API ShaderError : public Error {
 public:
  using Error::Error;
};

/// A file that cannot be read, written or understood.
class EGLANTINE_API FileError : public Error {
 public:
  using Error::Error;
};

}  // namespace eglantine

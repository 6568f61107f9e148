#pragma once

#include "eglantine/activations.hpp"
#include "eglantine/binary.hpp"
#include "eglantine/counting.hpp"
#include "eglantine/creation.hpp"
#include "eglantine/index.hpp"
#include "eglantine/indices.hpp"
#include "eglantine/losses.hpp"
#include "eglantine/movement.hpp"
#include "eglantine/normalisation.hpp"
#include "eglantine/operators.hpp"
#include "eglantine/order.hpp"
#include "eglantine/products.hpp"
#include "eglantine/random.hpp"
#include "eglantine/reductions.hpp"
#include "eglantine/scans.hpp"
#include "eglantine/segments.hpp"
#include "eglantine/statistics.hpp"
#include "eglantine/unary.hpp"

/// Every verb. A verb checks its arguments, then describes; nothing runs before a value is read.
///
/// Common to all, and not repeated below:
/// - Shapes of several operands broadcast together as in NumPy, else ShapeError. Zero-size tensors and scalars (rank 0)
/// go through every verb.
/// - Operands of several dtypes meet in one: result_type. They live on one device, else DeviceError.
/// - A dtype that a verb does not take is a DTypeError; an axis out of range or named twice is a ShapeError. Functions
/// with real values (exp and its like, mean, var, softmax) take f32, and integers and booleans as f32.
/// - A C++ number takes the dtype of the tensors beside it, but a floating number beside integers or booleans is f32
/// and an integer beside booleans i32; one that does not fit is a DTypeError.
/// - Of two booleans + and maximum are or, * and minimum are and; other arithmetic of booleans is a DTypeError.
/// - Errors of kernels (out of memory, a lost device) are thrown when a result is read.
/// - "ULP" bounds the error against the correctly rounded result; denormals may be flushed to zero by a device.

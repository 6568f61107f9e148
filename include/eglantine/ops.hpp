#pragma once

#include "eglantine/index.hpp"
#include "eglantine/verbs/activations.hpp"
#include "eglantine/verbs/attention.hpp"
#include "eglantine/verbs/binary.hpp"
#include "eglantine/verbs/convolution.hpp"
#include "eglantine/verbs/counting.hpp"
#include "eglantine/verbs/creation.hpp"
#include "eglantine/verbs/indices.hpp"
#include "eglantine/verbs/interpolation.hpp"
#include "eglantine/verbs/losses.hpp"
#include "eglantine/verbs/movement.hpp"
#include "eglantine/verbs/normalisation.hpp"
#include "eglantine/verbs/operators.hpp"
#include "eglantine/verbs/order.hpp"
#include "eglantine/verbs/pooling.hpp"
#include "eglantine/verbs/products.hpp"
#include "eglantine/verbs/random.hpp"
#include "eglantine/verbs/reductions.hpp"
#include "eglantine/verbs/scans.hpp"
#include "eglantine/verbs/segments.hpp"
#include "eglantine/verbs/statistics.hpp"
#include "eglantine/verbs/unary.hpp"

/// Every verb. A verb checks its arguments, then describes; nothing runs before a value is read.
///
/// Common to all, and not repeated below:
/// - Shapes of several operands broadcast together as in NumPy, else ShapeError. Zero-size tensors and scalars (rank 0)
/// go through every verb.
/// - Operands of several dtypes meet in one: result_type. They live on one device, else DeviceError.
/// - A dtype that a verb does not take is a DTypeError; an axis out of range or named twice is a ShapeError. Functions
/// with real values (exp and its like, mean, var, softmax) take f32, and integers and booleans as f32.
/// - Where a verb takes f32, it takes f16 and bf16; where it takes i32, it takes i8 and u8. What it gives of f32 is
/// rounded to their dtype, what it gives of i32 wraps to theirs: element by element at once, also where verbs fuse;
/// reductions, scans, products, normalisations, losses and other verbs made of verbs compute in f32 or i32 and round
/// once, at the end. Where f32 promises 8 ULP or less, f16 and bf16 are within 0.51 of their own.
/// - A C++ number takes the dtype of the tensors beside it, but a floating number beside integers or booleans is f32
/// and an integer beside booleans i32; one that does not fit is a DTypeError.
/// - Of two booleans + and maximum are or, * and minimum are and; other arithmetic of booleans is a DTypeError.
/// - Errors of kernels (out of memory, a lost device) are thrown when a result is read.
/// - "ULP" bounds the error against the correctly rounded result; denormals may be flushed to zero by a device.

#pragma once

/// Everything a program needs: tensors that compute with OpenGL compute shaders, and with the CPU.

#include "eglantine/device.hpp"
#include "eglantine/dtype.hpp"
#include "eglantine/error.hpp"
#include "eglantine/grad.hpp"
#include "eglantine/io.hpp"
#include "eglantine/layers.hpp"
#include "eglantine/nn.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"
#include "eglantine/own.hpp"
#include "eglantine/profile.hpp"
#include "eglantine/recurrent.hpp"
#include "eglantine/sequential.hpp"
#include "eglantine/shape.hpp"
#include "eglantine/spatial.hpp"
#include "eglantine/tensor.hpp"
#include "eglantine/tile.hpp"
#include "eglantine/transformer.hpp"
#include "eglantine/version.hpp"

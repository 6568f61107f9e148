#pragma once

#include "backend/cpu/families/families.hpp"

namespace eglantine::cpu {

/// A sort of which few places are read: those alone are written, with the bits that a whole sort gives them.
void sort_places(const SortKernel& kernel, ThreadPool& pool);

/// Every element of an expression.
Words values_of(const Expr& expr, ThreadPool& pool);

}  // namespace eglantine::cpu

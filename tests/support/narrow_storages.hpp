#pragma once

#include "graph/op/storage_type.hpp"

/// Short names for tables of cases.
namespace eglantine::test {

inline constexpr StorageType f32 = StorageType::f32, f16 = StorageType::f16, bf16 = StorageType::bf16;

}  // namespace eglantine::test

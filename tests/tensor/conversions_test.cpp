#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "element_types.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"
#include "support/shapes.hpp"

/// What from() makes of each C++ type, and what each reads.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Conversions, HostNumbers);

/// f.operator()<T>(name of T) for every type that the host has.
template <class F>
void for_each_type(F f) {
  f.template operator()<float>("float");
  f.template operator()<double>("double");
  f.template operator()<half>("half");
  f.template operator()<bfloat16>("bfloat16");
  f.template operator()<bool>("bool");
  f.template operator()<int8_t>("int8_t");
  f.template operator()<uint8_t>("uint8_t");
  f.template operator()<int16_t>("int16_t");
  f.template operator()<uint16_t>("uint16_t");
  f.template operator()<int32_t>("int32_t");
  f.template operator()<uint32_t>("uint32_t");
  f.template operator()<int64_t>("int64_t");
  f.template operator()<uint64_t>("uint64_t");
  f.template operator()<long long>("int64_t");
  f.template operator()<unsigned long long>("uint64_t");
}

/// The types that hold every value of a dtype.
std::string holders(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "float double";
    case DType::f16:
      return "half float double";
    case DType::bf16:
      return "bfloat16 float double";
    case DType::i32:
      return "int32_t int64_t double";
    case DType::u32:
      return "uint32_t int64_t uint64_t double";
    case DType::i8:
      return "int8_t int16_t int32_t int64_t half bfloat16 float double";
    case DType::u8:
      return "uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16 float double";
    case DType::boolean:
      break;
  }
  return "bool int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16 float double";
}

bool holds(const std::string& type, DType dtype) {
  return (" " + holders(dtype) + " ").find(" " + type + " ") != std::string::npos;
}

template <class T>
double number(T value) {
  return static_cast<double>(value);
}

template <class T>
void check_reading(const std::string& type, const Array& x) {
  const Tensor held = upload(x);
  SCOPED_TRACE(std::string(name_of(x.dtype)) + " as " + type);
  const auto refused = [&](const std::string& function) {
    return "[" + function + "] the tensor is " + std::string(name_of(x.dtype)) + ", whose values " + type +
           " does not hold; convert with astype";
  };
  const auto buffer = std::make_unique<T[]>(x.values.size());
  const std::span<T> out(buffer.get(), x.values.size());
  if (!holds(type, x.dtype)) {
    EXPECT_ERROR(held.to_vector<T>(), DTypeError, refused("Tensor::to_vector"));
    EXPECT_ERROR(held.slice(0, 0, 1).item<T>(), DTypeError, refused("Tensor::item"));
    EXPECT_ERROR(held.copy_to(out), DTypeError, refused("Tensor::copy_to"));
    return;
  }
  const std::vector<T> all = held.to_vector<T>();
  held.copy_to(out);
  ASSERT_EQ(all.size(), x.values.size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(number<T>(all[i]), x.values[i]);
    EXPECT_EQ(number<T>(out[i]), x.values[i]);
  }
  EXPECT_EQ(number<T>(held.slice(0, 2, 3).template item<T>()), x.values[2]);
}

/// The ends of a dtype, and numbers between.
Array numbers_of(DType dtype) {
  Array x = is_float(dtype) ? random_array(dtype, {37}) : random_bits(dtype, {37});
  const double largest = dtype == DType::f16 ? 65504 : dtype == DType::bf16 ? 0x1.fep127 : 0x1.fffffep127;
  for (size_t i = 0; i < 2 && is_float(dtype); ++i) x.values[i] = i == 0 ? largest : -largest;
  return x;
}

EG_TEST(HostNumbers, read_what_they_hold) {
  for (DType dtype : every_dtype)
    for_each_type([&]<class T>(const char* type) { check_reading<T>(type, numbers_of(dtype)); });
}

EG_TEST(HostNumbers, are_stored_by_their_type) {
  for_each_type([&]<class T>(const char* type) {
    SCOPED_TRACE(type);
    const T values[] = {T(1), T(0), T(1)};
    const Tensor x = Tensor::from(std::span<const T>(values), {3});
    const std::string name = type;
    const DType wide = name == "double" ? DType::f32 : name[0] == 'u' ? DType::u32 : DType::i32;
    if constexpr (Element<T>)
      EXPECT_EQ(x.dtype(), dtype_of<T>());
    else
      EXPECT_EQ(x.dtype(), wide);
    EXPECT_EQ(x.astype(DType::i32).to_vector<int32_t>(), (std::vector<int32_t>{1, 0, 1}));
    const Tensor column = Tensor::from(std::span<const T>(values), {3, 1}, device(), MemoryOrder::column_major);
    EXPECT_EQ(column.astype(DType::i32).to_vector<int32_t>(), (std::vector<int32_t>{1, 0, 1}));
  });
}

EG_TEST(HostNumbers, that_fit_are_kept_to_the_last) {
  EXPECT_EQ(Tensor::from(std::vector<int64_t>{-2147483648, 2147483647}, {2}).to_vector<int32_t>(),
            (std::vector<int32_t>{std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()}));
  EXPECT_EQ(Tensor::from(std::vector<uint64_t>{4294967295}, {1}).item<uint32_t>(), 4294967295U);
  EXPECT_EQ(Tensor::from({0.1, 16777217.0, -1e-50, HUGE_VAL}, {4}).to_vector<float>(),
            (std::vector<float>{0.1F, 16777216.0F, -0.0F, INFINITY}));
  EXPECT_TRUE(std::isnan(Tensor::from({std::nan("")}, {1}).item<double>()));
}

EG_TEST(HostNumbers, that_do_not_fit_are_named) {
  EXPECT_ERROR(Tensor::from(std::vector<int64_t>{1, 2147483648}, {2}), DTypeError,
               "[Tensor::from] the value 2147483648 does not fit i32");
  EXPECT_ERROR(Tensor::from(std::vector<int64_t>{-2147483649}, {1}), DTypeError,
               "[Tensor::from] the value -2147483649 does not fit i32");
  EXPECT_ERROR(Tensor::from(std::vector<unsigned long long>{4294967296}, {1}), DTypeError,
               "[Tensor::from] the value 4294967296 does not fit u32");
  EXPECT_ERROR(Tensor::from({1e39}, {1}), DTypeError, "[Tensor::from] the value 1e+39 does not fit f32");
}

}  // namespace
}  // namespace eglantine::test

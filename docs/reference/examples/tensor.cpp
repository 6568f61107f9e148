const Tensor x = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});

// [Tensor::from]
Tensor::from({1.5F, 2.5F}, {2});  // -> [1.5 2.5]
Tensor::from<int32_t>({1, 2, 3, 4}, {2, 2}, Device::current(), MemoryOrder::column_major);
// -> [[1 3]
//     [2 4]]

// [Tensor::defined]
Tensor().defined();  // -> false
x.defined();  // -> true

// [Tensor::shape]
x.shape();  // -> (2, 3)
x.rank();  // -> 2
x.size();  // -> 6
x.dtype();  // -> f32

// [Tensor::to_vector]
x.to_vector<float>();  // -> 1, 2, 3, 4, 5, 6

// [Tensor::item]
sum(x).item<float>();  // -> 21
x.item<float>();  // -> ShapeError: [Tensor::item] wants exactly one element, the shape is (2, 3)

// [Tensor::to]
x.to(Device::open("cpu")).device();  // -> cpu

// [Tensor::layout]
x.layout();  // -> strides (3, 1), offset 0
x.transpose(0, 1).layout();  // -> strides (1, 3), offset 0

// [Tensor::as_strided]
x.as_strided({2, 2}, {2, 1}, 1);
// -> [[2. 3.]
//     [4. 5.]]

// [eval]
(x + 1).eval();
// -> [[2. 3. 4.]
//     [5. 6. 7.]]

// [explain]
explain(x * 2 + 1).find("map") != std::string::npos;  // -> true

// [result_type]
result_type(DType::i32, DType::f32);  // -> f32
result_type(DType::boolean, DType::i32);  // -> i32
result_type(DType::i32, DType::u32);
// -> DTypeError: [result_type] no dtype holds both i32 and u32; convert one with astype

// [size_of]
size_of(DType::f32);  // -> 4

// [name_of]
name_of(DType::u32);  // -> u32

// [to_string]
to_string(x.shape());  // -> (2, 3)

// [Tensor::copy_to]
std::vector<float> columns(6);
x.copy_to(std::span<float>(columns), MemoryOrder::column_major);
columns;  // -> 1, 4, 2, 5, 3, 6

const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {2, 2});

// [elementwise]
const ElementwiseOp cube{"cube", 1, "x0 * x0 * x0", [](std::span<const float> v) { return v[0] * v[0] * v[0]; }};
elementwise(cube, {x});
// -> [[ 1.  8.]
//     [27. 64.]]

const ElementwiseOp scaled{
    .name = "scaled", .arity = 2, .glsl = "x0 * x1",
    .cpu = [](std::span<const float> v) { return v[0] * v[1]; },
    .vjp = [](const Tensors& v, const Tensor&, const Tensor& g) { return Tensors{g * v[1], g * v[0]}; }};
grad([&](const Tensors& at) { return sum(elementwise(scaled, {at[0], x})); }, {x})[0];
// -> [[1. 2.]
//     [3. 4.]]

// [reduce]
const ReduceOp largest{"largest", -INFINITY, "max(a, b)", [](float a, float b) { return std::max(a, b); }};
reduce(x, largest, 0);  // -> [3. 4.]

// [scan]
const ReduceOp times{"times", 1, "a * b", [](float a, float b) { return a * b; }};
scan(x, times, 1);
// -> [[ 1.  2.]
//     [ 3. 12.]]

// [check_op]
const ReduceOp plus{"plus", 0, "a + b", [](float a, float b) { return a + b; }};
const ReduceOp minus{"minus", 0, "a - b", [](float a, float b) { return a - b; }};
check_op(plus);  // the device adds as the host does, in any order
check_op(minus);  // -> Error: [check_op] the identity 0 of "minus" changes 1 to -1 by its cpu function, as operand a

const Tensor x = Tensor::from<float>({1, 2, 3}, {3});

// [grad]
grad([](const Tensors& at) { return sum(square(at[0])); }, {x})[0];  // -> [2. 4. 6.]
grad([](const Tensors& at) { return square(at[0]); }, {x});  // -> ShapeError: [grad] the function gives one number, of rank 0, got (3,); reduce it with sum or mean, or use vjp

// [value_and_grad]
const auto [value, slopes] = value_and_grad([](const Tensors& at) { return sum(at[0] * at[1]); }, {x, full({3}, 4.0F)});
value;  // -> 24.
slopes[1];  // -> [1. 2. 3.]

// [vjp]
vjp([](const Tensors& at) { return Tensors{at[0] * 2, square(at[0])}; }, {x}, {ones({3}), ones({3})}).second[0];
// -> [4. 6. 8.]

// [jvp]
jvp([](const Tensors& at) { return Tensors{square(at[0])}; }, {x}, {Tensor::from<float>({1, 0, 1}, {3})}).second[0];
// -> [2. 0. 6.]

// [jacobian]
jacobian([](const Tensors& at) { return Tensors{cumsum(at[0], 0)}; }, {x})[0];
// -> [[1. 0. 0.]
//     [1. 1. 0.]
//     [1. 1. 1.]]

// [hessian]
hessian([](const Tensors& at) { return prod(at[0]); }, x);
// -> [[0. 3. 2.]
//     [3. 0. 1.]
//     [2. 1. 0.]]

// [vmap]
const Tensor rows = arange(0, 6).astype(DType::f32).reshape({2, 3});
vmap([](const Tensors& at) { return Tensors{sum(at[0] * at[1])}; }, {0, std::nullopt})({rows, x})[0];  // -> [ 8. 26.]
vmap([](const Tensors& at) { return Tensors{cumsum(at[0], 0)}; }, {1}, 1)({rows})[0];
// -> [[0. 1. 2.]
//     [3. 5. 7.]]
const Function slopes_of_each = vmap([](const Tensors& at) {
  return grad([](const Tensors& y) { return prod(y[0]); }, at);
}, {0});
slopes_of_each({rows})[0];  // gradients of each row
// -> [[ 2.  0.  0.]
//     [20. 15. 12.]]

// [stop_gradient]
grad([](const Tensors& at) { return sum(at[0] * stop_gradient(at[0])); }, {x})[0];  // -> [1. 2. 3.]

// [checkpoint]
const Function layer = checkpoint([](const Tensors& at) { return Tensors{square(at[0]) + 1}; });
grad([&](const Tensors& at) { return sum(layer(at)[0]); }, {x})[0];  // -> [2. 4. 6.]

// [custom_vjp]
const Function rounded = custom_vjp([](const Tensors& at) { return Tensors{round(at[0])}; },
                                    [](const Tensors&, const Tensors&, const Tensors& cotangents) { return cotangents; });
grad([&](const Tensors& at) { return sum(rounded({at[0] * 0.7F})[0]); }, {x})[0];  // -> [0.7 0.7 0.7]

// [check_gradients]
check_gradients([](const Tensors& at) { return Tensors{exp(at[0])}; }, {x});

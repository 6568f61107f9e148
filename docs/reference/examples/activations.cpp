const Tensor x = Tensor::from<float>({-4, -0.25, 0, 0.25, 4}, {5});
const Tensor special = Tensor::from<float>({1, NAN, INFINITY}, {3});

// [softplus]
softplus(x);  // ->

// [log_sigmoid]
log_sigmoid(x);  // ->

// [gelu_tanh]
gelu_tanh(x);  // ->

// [elu]
elu(x);  // ->
elu(x, 0.5);  // ->

// [selu]
selu(x);  // ->

// [celu]
celu(x, 2);  // ->

// [leaky_relu]
leaky_relu(x);  // ->
leaky_relu(x, 0.5);  // ->

// [prelu]
prelu(x, Tensor(0.5F));  // ->

// [hardtanh]
hardtanh(x);  // ->
hardtanh(x, 0, 2);  // ->

// [hardsigmoid]
hardsigmoid(x);  // ->

// [hardswish]
hardswish(x);  // ->

// [relu6]
relu6(x * 2);  // ->

// [mish]
mish(x);  // ->

// [softsign]
softsign(x);  // ->

// [softshrink]
softshrink(x);  // ->

// [hardshrink]
hardshrink(x);  // ->

// [tanhshrink]
tanhshrink(x);  // ->

// [threshold]
threshold(x, 0, -1);  // ->

// [nan_to_num]
nan_to_num(special);  // ->
nan_to_num(special, -1, 100);  // ->

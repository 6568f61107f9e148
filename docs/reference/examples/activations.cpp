const Tensor x = Tensor::from<float>({-4, -0.25, 0, 0.25, 4}, {5});
const Tensor special = Tensor::from<float>({1, NAN, INFINITY}, {3});

// [softplus]
softplus(x);  // -> [0.01814993 0.5759394  0.6931472  0.8259394  4.01815   ]

// [log_sigmoid]
log_sigmoid(x);  // -> [-4.01815    -0.8259394  -0.6931472  -0.5759394  -0.01814993]

// [gelu_tanh]
gelu_tanh(x);
// -> [-7.02459500e-05 -1.00324646e-01  0.00000000e+00  1.49675350e-01
//      3.99992970e+00]

// [elu]
elu(x);  // -> [-0.9816844  -0.22119921  0.          0.25        4.        ]
elu(x, 0.5);  // -> [-0.4908422  -0.11059961  0.          0.25        4.        ]

// [selu]
selu(x);  // -> [-1.7258986  -0.3888902   0.          0.26267526  4.202804  ]

// [celu]
celu(x, 2);  // -> [-1.7293295 -0.2350062  0.         0.25       4.       ]

// [leaky_relu]
leaky_relu(x);  // -> [-4.0e-02 -2.5e-03  0.0e+00  2.5e-01  4.0e+00]
leaky_relu(x, 0.5);  // -> [-2.    -0.125  0.     0.25   4.   ]

// [prelu]
prelu(x, Tensor(0.5F));  // -> [-2.    -0.125  0.     0.25   4.   ]

// [hardtanh]
hardtanh(x);  // -> [-1.   -0.25  0.    0.25  1.  ]
hardtanh(x, 0, 2);  // -> [0.   0.   0.   0.25 2.  ]

// [hardsigmoid]
hardsigmoid(x);  // -> [0.         0.45833334 0.5        0.5416667  1.        ]

// [hardswish]
hardswish(x);  // -> [-0.         -0.11458334  0.          0.13541667  4.        ]

// [relu6]
relu6(x * 2);  // -> [0.  0.  0.  0.5 6. ]

// [mish]
mish(x);  // -> [-0.07259174 -0.12992696  0.          0.16957241  3.997413  ]

// [softsign]
softsign(x);  // -> [-0.8 -0.2  0.   0.2  0.8]

// [softshrink]
softshrink(x);  // -> [-3.5  0.   0.   0.   3.5]

// [hardshrink]
hardshrink(x);  // -> [-4.  0.  0.  0.  4.]

// [tanhshrink]
tanhshrink(x);  // -> [-3.0006707  -0.00508134  0.          0.00508134  3.0006707 ]

// [threshold]
threshold(x, 0, -1);  // -> [-1.   -1.   -1.    0.25  4.  ]

// [nan_to_num]
nan_to_num(special);  // -> [1.0000000e+00 0.0000000e+00 3.4028235e+38]
nan_to_num(special, -1, 100);  // -> [  1.  -1. 100.]

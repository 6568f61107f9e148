const Tensor x = Tensor::from<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3});
const Tensor v = Tensor::from<int32_t>({1, 2, 3}, {3});

// [zeros]
zeros({2, 3});
// -> [[0. 0. 0.]
//     [0. 0. 0.]]
zeros({3}, DType::i32);  // -> [0 0 0]

// [ones]
ones({2, 2});
// -> [[1. 1.]
//     [1. 1.]]

// [full]
full({2, 3}, 7);
// -> [[7. 7. 7.]
//     [7. 7. 7.]]
full({2}, true, DType::boolean);  // -> [True True]

// [eye]
eye(3);
// -> [[1. 0. 0.]
//     [0. 1. 0.]
//     [0. 0. 1.]]
eye(2, 3, DType::i32);
// -> [[1 0 0]
//     [0 1 0]]

// [arange]
arange(0, 5);  // -> [0. 1. 2. 3. 4.]
arange(1, 10, 3, DType::i32);  // -> [1 4 7]
arange(1, 0, -0.25);  // -> [1.   0.75 0.5  0.25]

// [linspace]
linspace(0, 1, 5);  // -> [0.   0.25 0.5  0.75 1.  ]

// [zeros_like]
zeros_like(x);
// -> [[0 0 0]
//     [0 0 0]]

// [ones_like]
ones_like(x);
// -> [[1 1 1]
//     [1 1 1]]

// [full_like]
full_like(x, 9);
// -> [[9 9 9]
//     [9 9 9]]

// [logspace]
logspace(0, 3, 4);  // -> [   1.   10.  100. 1000.]
logspace(0, 4, 5, 2);  // -> [ 1.  2.  4.  8. 16.]

// [tri]
tri(3);
// -> [[1. 0. 0.]
//     [1. 1. 0.]
//     [1. 1. 1.]]
tri(2, 3, -1);
// -> [[0. 0. 0.]
//     [1. 0. 0.]]

// [meshgrid]
meshgrid({v, arange(0, 2, 1, DType::i32)});
// -> [[1 1]
//     [2 2]
//     [3 3]]
//    [[0 1]
//     [0 1]
//     [0 1]]

// [diag]
diag(v);
// -> [[1 0 0]
//     [0 2 0]
//     [0 0 3]]
diag(x, 1);  // -> [2 6]

// [diagonal]
diagonal(x);  // -> [1 5]

// [tril]
tril(x);
// -> [[1 0 0]
//     [4 5 0]]

// [triu]
triu(x, 1);
// -> [[0 2 3]
//     [0 0 6]]

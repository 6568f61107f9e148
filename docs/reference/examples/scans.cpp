const Tensor x = Tensor::from<int32_t>({1, 3, 2, 4}, {4});
const Tensor m = Tensor::from<int32_t>({1, 2, 3, 4}, {2, 2});

// [cumsum]
cumsum(x, 0);  // -> [ 1  4  6 10]
cumsum(x, 0, true);  // -> [0 1 4 6]
cumsum(x, 0, false, true);  // -> [10  9  6  4]
cumsum(m, 1);
// -> [[1 3]
//     [3 7]]

// [cumprod]
cumprod(x, 0);  // -> [ 1  3  6 24]

// [cummax]
cummax(x, 0);  // -> [1 3 3 4]

// [cummin]
cummin(x, 0);  // -> [1 1 1 1]
cummin(x, 0, false, true);  // -> [1 2 2 4]

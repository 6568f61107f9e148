const Tensor x = Tensor::from<float>({3, 1, 2, 1}, {4});
const Tensor m = Tensor::from<int32_t>({9, 7, 8, 1, 3, 2}, {2, 3});

// [sort]
sort(x);  // -> [1. 1. 2. 3.]
sort(x, 0, true);  // -> [3. 2. 1. 1.]
sort(m);
// -> [[7 8 9]
//     [1 2 3]]

// [argsort]
argsort(x);  // -> [1 3 2 0]
argsort(m, 1, true);
// -> [[0 2 1]
//     [1 2 0]]

// [topk]
topk(x, 2);
// -> [3. 2.]
//    [0 2]
topk(x, 2, 0, false).first;  // -> [1. 1.]
topk(m, 2).first;
// -> [[9 8]
//     [3 2]]

// [sort_by_key]
sort_by_key(x, arange(0, 4, 1, DType::i32));
// -> [1. 1. 2. 3.]
//    [1 3 2 0]

const Tensor x = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});

// [Tensor::index]
x[1];  // -> [4. 5. 6.]
x[Slice{{}, {}, -1}];
// -> [[4. 5. 6.]
//     [1. 2. 3.]]
x[x > 3];  // -> [4. 5. 6.]
x[2];  // -> IndexError: [index] index 2 lies outside [-2, 2): axis 0 of (2, 3)
x(0, -1);  // -> 3.0
x(ellipsis, newaxis, Slice{1, {}}).shape();  // -> (2, 1, 2)
x.index({Tensor::from({0, 1, 1}, {3}), Tensor::from({2, 0, 0}, {3})});  // -> [3. 4. 4.]

// [Tensor::index_put]
x.index_put({0}, 9);
// -> [[9. 9. 9.]
//     [4. 5. 6.]]
x.index_put({Slice{}, Slice{1, {}}}, x(Slice{}, Slice{{}, -1}));
// -> [[1. 1. 2.]
//     [4. 4. 5.]]

// [Tensor::index_put_add]
x.index_put_add({1, Tensor::from({0, 0, 2}, {3})}, 10);
// -> [[ 1.  2.  3.]
//     [24.  5. 16.]]

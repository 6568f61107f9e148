const Tensor x = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
const Tensor row = Tensor::from<float>({10, 20, 30, 40}, {4});
const Tensor places = Tensor::from<int32_t>({2, 0, -1}, {3});
const Tensor index = Tensor::from<int32_t>({2, 0, 1, 1}, {2, 2});
const Tensor updates = Tensor::from<float>({10, 20, 30, 40}, {2, 2});

// [take]
take(row, places, 0);  // -> [30. 10. 40.]
take(x, places, 1);
// -> [[3. 1. 3.]
//     [6. 4. 6.]]
take(x, index, 1).shape();  // -> (2, 2, 2)

// [gather]
gather(x, 1, index);
// -> [[3. 1.]
//     [5. 5.]]

// [scatter]
scatter(x, 1, index, updates);
// -> [[20.  2. 10.]
//     [ 4. 40.  6.]]

// [scatter_add]
scatter_add(x, 1, index, updates);
// -> [[21.  2. 13.]
//     [ 4. 75.  6.]]

// [one_hot]
one_hot(places, 3);
// -> [[0. 0. 1.]
//     [1. 0. 0.]
//     [0. 0. 1.]]

// [compress]
compress(row, row > 15);  // -> [20. 30. 40.]
compress(x, x > 2.5F);  // -> [3. 4. 5. 6.]

// [nonzero]
nonzero(x > 3);
// -> [[1 0]
//     [1 1]
//     [1 2]]

// [unique]
unique(sort(Tensor::from<int32_t>({3, 1, 3, 1, 2}, {5})));  // -> [1 2 3]

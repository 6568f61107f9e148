const Tensor sorted = Tensor::from<float>({1, 2, 2, 5}, {4});
const Tensor i = Tensor::from<int32_t>({3, 1, 3, 0, 3}, {5});
const Tensor w = Tensor::from<float>({0.5, 1, 0.5, 2, 1}, {5});

// [searchsorted]
searchsorted(sorted, Tensor::from({2.0F, 9.0F}, {2}));  // -> [1 4]
searchsorted(sorted, Tensor::from({2.0F, 9.0F}, {2}), true);  // -> [3 4]

// [bincount]
bincount(i);  // -> [1 1 0 3]
bincount(i, w);  // -> [2. 1. 0. 2.]
bincount(i, {}, 6);  // -> [1 1 0 3 0 0]

// [histogram]
histogram(sorted, 4, 1, 5);
// -> [1 2 0 1]
//    [1. 2. 3. 4. 5.]

// [unique_all]
unique_all(i).values;  // -> [0 1 3]
unique_all(i).indices;  // -> [3 1 0]
unique_all(i).inverse_indices;  // -> [2 1 2 0 2]
unique_all(i).counts;  // -> [1 1 3]

// [unique_counts]
unique_counts(i).counts;  // -> [1 1 3]

// [unique_inverse]
unique_inverse(i).inverse_indices;  // -> [2 1 2 0 2]

// [unique_values]
unique_values(i);  // -> [0 1 3]

const Tensor sorted = Tensor::from<float>({1, 2, 2, 5}, {4});
const Tensor i = Tensor::from<int32_t>({3, 1, 3, 0, 3}, {5});
const Tensor w = Tensor::from<float>({0.5, 1, 0.5, 2, 1}, {5});

// [searchsorted]
searchsorted(sorted, Tensor::from({2.0F, 9.0F}, {2}));  // ->
searchsorted(sorted, Tensor::from({2.0F, 9.0F}, {2}), true);  // ->

// [bincount]
bincount(i);  // ->
bincount(i, w);  // ->
bincount(i, {}, 6);  // ->

// [histogram]
histogram(sorted, 4, 1, 5);  // ->

// [unique_all]
unique_all(i).values;  // ->
unique_all(i).indices;  // ->
unique_all(i).inverse_indices;  // ->
unique_all(i).counts;  // ->

// [unique_counts]
unique_counts(i).counts;  // ->

// [unique_inverse]
unique_inverse(i).inverse_indices;  // ->

// [unique_values]
unique_values(i);  // ->

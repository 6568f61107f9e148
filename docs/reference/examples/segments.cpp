const Tensor x = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
const Tensor row = Tensor::from<float>({10, 20, 30, 40}, {4});
const Tensor places = Tensor::from<int32_t>({2, 0, 2}, {3});
const Tensor updates = Tensor::from<float>({5, 6, 7}, {3});
const Tensor segments = Tensor::from<int32_t>({0, 2, 0, 2}, {4});
const Tensor coordinates = Tensor::from<int32_t>({0, 2, 1, 0}, {2, 2});

// [scatter_mul]
scatter_mul(row, 0, places, updates);  // -> [  60.   20. 1050.   40.]

// [scatter_max]
scatter_max(row, 0, places, updates * 5);  // -> [30. 20. 35. 40.]

// [scatter_min]
scatter_min(row, 0, places, updates);  // -> [ 6. 20.  5. 40.]

// [take_along_axis]
take_along_axis(x, argsort(x, 1, true), 1);
// -> [[3. 2. 1.]
//     [6. 5. 4.]]

// [index_add]
index_add(row, 0, places, updates);  // -> [16. 20. 42. 40.]

// [segment_sum]
segment_sum(row, segments, 3);  // -> [40.  0. 60.]

// [segment_max]
segment_max(row, segments, 3);  // -> [ 30. -inf  40.]

// [gather_nd]
gather_nd(x, coordinates);  // -> [3. 4.]

// [scatter_nd]
scatter_nd(x, coordinates, Tensor::from({70.0F, 80.0F}, {2}));
// -> [[ 1.  2. 70.]
//     [80.  5.  6.]]

// [scatter_nd_add]
scatter_nd_add(x, coordinates, Tensor::from({70.0F, 80.0F}, {2}));
// -> [[ 1.  2. 73.]
//     [84.  5.  6.]]

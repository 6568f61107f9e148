const Tensor line = Tensor::from<float>({3, 1, 4, 1, 5}, {1, 1, 5});
const Tensor image = arange(1, 17).reshape({1, 1, 4, 4});
const Tensor channels = arange(0, 8, 1, DType::i32).reshape({8, 1, 1});

// [max_pool]
max_pool(line, 3, {.stride = 1});  // -> [[[4. 4. 5.]]]
max_pool(line, 3, {.stride = 2, .padding = 1});  // -> [[[3. 4. 5.]]]
max_pool(image, 2);
// -> [[[[ 6.  8.]
//       [14. 16.]]]]
max_pool(image.squeeze(0), {2, 2}, {.stride = {2, 1}});  // without n the window is in braces
// -> [[[ 6.  7.  8.]
//      [14. 15. 16.]]]

// [max_pool_with_indices]
max_pool_with_indices(line, 2, {.stride = 1}).first;  // -> [[[3. 4. 4. 5.]]]
max_pool_with_indices(line, 2, {.stride = 1}).second;  // -> [[[0 2 2 4]]]

// [avg_pool]
avg_pool(image, {2, 4});
// -> [[[[ 4.5]
//       [12.5]]]]
avg_pool(line, 3, {.stride = 2, .padding = 1});  // -> [[[1.3333334 2.        2.       ]]]
avg_pool(line, 3, {.stride = 2, .padding = 1, .count_padding = false});  // -> [[[2. 2. 3.]]]
avg_pool(line, 2, {.ceil_mode = true});  // -> [[[2.  2.5 5. ]]]

// [lp_pool]
lp_pool(line, 2, 2);  // -> [[[3.1622777 4.1231055]]]

// [adaptive_avg_pool]
adaptive_avg_pool(image, 1);  // -> [[[[8.5]]]]
adaptive_avg_pool(line, 3);  // -> [[[2. 2. 3.]]]

// [adaptive_max_pool]
adaptive_max_pool(line, 3);  // -> [[[3. 4. 5.]]]

// [depth_to_space]
depth_to_space(channels, 2).shape();  // -> (2, 2, 2)
depth_to_space(channels, 2)(0);
// -> [[0 2]
//     [4 6]]

// [space_to_depth]
space_to_depth(depth_to_space(channels, 2), 2).shape();  // -> (8, 1, 1)

// [pixel_shuffle]
pixel_shuffle(channels, 2)(0);
// -> [[0 1]
//     [2 3]]

// [pixel_unshuffle]
pixel_unshuffle(image, 2).shape();  // -> (1, 4, 2, 2)

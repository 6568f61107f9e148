const Tensor line = Tensor::from<float>({3, 1, 4, 1, 5}, {1, 1, 5});
const Tensor image = arange(1, 17).reshape({1, 1, 4, 4});
const Tensor channels = arange(0, 8, 1, DType::i32).reshape({8, 1, 1});

// [max_pool]
max_pool(line, 3, {.stride = 1});  // ->
max_pool(line, 3, {.stride = 2, .padding = 1});  // ->
max_pool(image, 2);
// ->
max_pool(image.squeeze(0), {2, 2}, {.stride = {2, 1}});  // without n the window is in braces
// ->

// [max_pool_with_indices]
max_pool_with_indices(line, 2, {.stride = 1}).first;  // ->
max_pool_with_indices(line, 2, {.stride = 1}).second;  // ->

// [avg_pool]
avg_pool(image, {2, 4});
// ->
avg_pool(line, 3, {.stride = 2, .padding = 1});  // ->
avg_pool(line, 3, {.stride = 2, .padding = 1, .count_padding = false});  // ->
avg_pool(line, 2, {.ceil_mode = true});  // ->

// [lp_pool]
lp_pool(line, 2, 2);  // ->

// [adaptive_avg_pool]
adaptive_avg_pool(image, 1);  // ->
adaptive_avg_pool(line, 3);  // ->

// [adaptive_max_pool]
adaptive_max_pool(line, 3);  // ->

// [depth_to_space]
depth_to_space(channels, 2);
// ->

// [space_to_depth]
space_to_depth(depth_to_space(channels, 2), 2).shape();  // ->

// [pixel_shuffle]
pixel_shuffle(channels, 2);
// ->

// [pixel_unshuffle]
pixel_unshuffle(image, 2).shape();  // ->

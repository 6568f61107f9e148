const Tensor x = Tensor::from<float>({1, 2, 3, 2, 4, 6}, {2, 3});
const Tensor weight = Tensor::from<float>({1, 1, 2}, {3});
const Tensor image = Tensor::from<float>({1, 2, 3, 4, 5, 6, 7, 8}, {1, 4, 2});

// [layer_norm]
layer_norm(x, 1);  // ->
layer_norm(x, 1, weight, weight);  // ->

// [rms_norm]
rms_norm(x, 1);  // ->

// [group_norm]
group_norm(image, 2);  // ->

// [batch_norm]
batch_norm(x, mean(x, 0), var(x, 0), weight);  // ->

// [local_response_norm]
local_response_norm(image, 2, 1);  // ->

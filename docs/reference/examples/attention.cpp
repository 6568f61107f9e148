const Tensor q = Tensor::from<float>({1, 0, 0, 1}, {2, 2});
const Tensor v = Tensor::from<float>({1, 2, 3, 4}, {2, 2});

// [scaled_dot_product_attention]
scaled_dot_product_attention(q, q, v);  // ->
scaled_dot_product_attention(q, q, v, {.causal = true});  // ->
const Tensor mask = Tensor::from({false, true, false, false}, {2, 2});
scaled_dot_product_attention(q, q, v, {.mask = mask});  // ->

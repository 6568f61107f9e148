const Tensor q = Tensor::from<float>({1, 0, 0, 1}, {2, 2});
const Tensor v = Tensor::from<float>({1, 2, 3, 4}, {2, 2});

// [scaled_dot_product_attention]
scaled_dot_product_attention(q, q, v);
// -> [[1.6604769 2.660477 ]
//     [2.339523  3.339523 ]]
scaled_dot_product_attention(q, q, v, {.causal = true});
// -> [[1.       2.      ]
//     [2.339523 3.339523]]
const Tensor mask = Tensor::from({false, true, false, false}, {2, 2});
scaled_dot_product_attention(q, q, v, {.mask = mask});
// -> [[3. 4.]
//     [0. 0.]]

const Tensor logits = Tensor::from<float>({2, 1, 0, 0, 1, 2}, {2, 3});
const Tensor labels = Tensor::from<int32_t>({0, 1}, {2});
const Tensor x = Tensor::from<float>({1, 2, 3}, {3});
const Tensor y = Tensor::from<float>({1, 0, 6}, {3});
const Tensor p = Tensor::from<float>({1, 0, 0.5}, {3});

// [cross_entropy]
cross_entropy(logits, labels);  // -> 0.907606
cross_entropy(logits, labels, {.reduction = LossReduction::none});  // -> [0.40760604 1.407606  ]
cross_entropy(logits, labels, {.label_smoothing = 0.1});  // -> 0.957606

// [nll_loss]
nll_loss(log_softmax(logits, 1), labels);  // -> 0.907606

// [mse_loss]
mse_loss(x, y);  // -> 4.3333335
mse_loss(x, y, LossReduction::none);  // -> [0. 4. 9.]

// [l1_loss]
l1_loss(x, y);  // -> 1.6666666
l1_loss(x, y, LossReduction::sum);  // -> 5.0

// [huber_loss]
huber_loss(x, y, 1, LossReduction::none);  // -> [0.  1.5 2.5]

// [binary_cross_entropy_with_logits]
binary_cross_entropy_with_logits(x, p);  // -> 1.3295923

// [kl_div]
kl_div(log_softmax(x, 0), softmax(y, 0), LossReduction::sum);  // -> 0.36612177

// [cosine_similarity]
cosine_similarity(x, y);  // -> 0.834812

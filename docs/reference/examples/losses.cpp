const Tensor logits = Tensor::from<float>({2, 1, 0, 0, 1, 2}, {2, 3});
const Tensor labels = Tensor::from<int32_t>({0, 1}, {2});
const Tensor x = Tensor::from<float>({1, 2, 3}, {3});
const Tensor y = Tensor::from<float>({1, 0, 6}, {3});
const Tensor p = Tensor::from<float>({1, 0, 0.5}, {3});

// [cross_entropy]
cross_entropy(logits, labels);  // ->
cross_entropy(logits, labels, {.reduction = LossReduction::none});  // ->
cross_entropy(logits, labels, {.label_smoothing = 0.1});  // ->

// [nll_loss]
nll_loss(log_softmax(logits, 1), labels);  // ->

// [mse_loss]
mse_loss(x, y);  // ->
mse_loss(x, y, LossReduction::none);  // ->

// [l1_loss]
l1_loss(x, y);  // ->
l1_loss(x, y, LossReduction::sum);  // ->

// [huber_loss]
huber_loss(x, y, 1, LossReduction::none);  // ->

// [binary_cross_entropy_with_logits]
binary_cross_entropy_with_logits(x, p);  // ->

// [kl_div]
kl_div(log_softmax(x, 0), softmax(y, 0), LossReduction::sum);  // ->

// [cosine_similarity]
cosine_similarity(x, y);  // ->

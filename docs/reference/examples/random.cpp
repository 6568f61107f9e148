const Tensor logits = Tensor::from<float>({0, 1, 2, 9, 0, 0}, {2, 3});
const Tensor v = Tensor::from<int32_t>({10, 20, 30, 40}, {4});

// [uniform]
uniform({4}, 1);  // ->

// [normal]
normal({4}, 1);  // ->

// [randint]
randint(0, 10, {8}, 1);  // ->
randint(-1, 2, {8}, 2);  // ->

// [bernoulli]
bernoulli(0.3, {6}, 1);  // ->
bernoulli(Tensor::from({0.0F, 1.0F, 0.5F}, {3}), {3}, 1);  // ->

// [exponential]
exponential({4}, 1);  // ->

// [gumbel]
gumbel({4}, 1);  // ->

// [laplace]
laplace({4}, 1);  // ->

// [truncated_normal]
truncated_normal(-1, 1, {4}, 1);  // ->

// [permutation]
permutation(5, 1);  // ->

// [shuffle]
shuffle(v, 1);  // ->

// [categorical]
categorical(logits, 1);  // ->
categorical(logits, 1, 1, 4);  // ->

// [split_seed]
split_seed(1, 0);  // ->
uniform({3}, split_seed(1, 7));  // ->

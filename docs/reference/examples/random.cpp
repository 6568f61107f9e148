const Tensor logits = Tensor::from<float>({0, 1, 2, 9, 0, 0}, {2, 3});
const Tensor v = Tensor::from<int32_t>({10, 20, 30, 40}, {4});

// [uniform]
uniform({4}, 1);  // -> [0.89025915 0.8946847  0.5857259  0.71126807]

// [normal]
normal({4}, 1);  // -> [-0.16504693  2.6764474  -1.5598533   0.75489575]

// [randint]
randint(0, 10, {8}, 1);  // -> [9 2 7 2 5 6 8 5]
randint(-1, 2, {8}, 2);  // -> [ 0  0 -1  1  0 -1  1 -1]

// [bernoulli]
bernoulli(0.3, {6}, 1);  // -> [False False False  True False False]
bernoulli(Tensor::from({0.0F, 1.0F, 0.5F}, {3}), {3}, 1);  // -> [False  True False]

// [exponential]
exponential({4}, 1);  // -> [1.3138676  0.58010453 0.46827802 1.1386981 ]

// [gumbel]
gumbel({4}, 1);  // -> [-0.85462993 -0.7945778   0.37009382  0.42765585]

// [laplace]
laplace({4}, 1);  // -> [-0.41091287  1.501626   -0.5126105   0.6484435 ]

// [truncated_normal]
truncated_normal(-1, 1, {4}, 1);  // -> [-0.906358   -0.32058358  0.7102142  -0.77365565]

// [permutation]
permutation(5, 1);  // -> [1 0 4 3 2]

// [shuffle]
shuffle(v, 1);  // -> [10 30 20 40]

// [categorical]
categorical(logits, 1);  // -> [0 0]
categorical(logits, 1, 1, 4);
// -> [[0 2 1 2]
//     [0 0 0 0]]

// [split_seed]
split_seed(1, 0);  // -> 2162981848819166785
uniform({3}, split_seed(1, 7));  // -> [0.6408986 0.595103  0.6004054]

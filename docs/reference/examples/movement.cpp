const Tensor x = Tensor::from<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3});
const Tensor v = Tensor::from<int32_t>({1, 2, 3}, {3});
const Tensor w = Tensor::from<int32_t>({7, 8, 9}, {3});
const Tensor image = arange(0, 24, 1, DType::i32).reshape({2, 3, 4});

// [concatenate]
concatenate({v, w}, 0);  // -> [1 2 3 7 8 9]
concatenate({x, x}, 1);
// -> [[1 2 3 1 2 3]
//     [4 5 6 4 5 6]]

// [stack]
stack({v, w}, 0);
// -> [[1 2 3]
//     [7 8 9]]
stack({v, w}, 1);
// -> [[1 7]
//     [2 8]
//     [3 9]]

// [split]
split(x, 3, 1);
// -> [[1]
//     [4]]
//    [[2]
//     [5]]
//    [[3]
//     [6]]

// [split_with_sizes]
split_with_sizes(x, {1, 2}, 1);
// -> [[1]
//     [4]]
//    [[2 3]
//     [5 6]]

// [unstack]
unstack(x);
// -> [1 2 3]
//    [4 5 6]

// [hstack]
hstack({v, w});  // -> [1 2 3 7 8 9]
hstack({x, x});
// -> [[1 2 3 1 2 3]
//     [4 5 6 4 5 6]]

// [vstack]
vstack({v, w});
// -> [[1 2 3]
//     [7 8 9]]

// [flatten]
flatten(x);  // -> [1 2 3 4 5 6]
flatten(image, 1).shape();  // -> (2, 12)

// [ravel]
ravel(x);  // -> [1 2 3 4 5 6]

// [moveaxis]
moveaxis(image, 0, -1).shape();  // -> (3, 4, 2)

// [swapaxes]
swapaxes(x, 0, 1);
// -> [[1 4]
//     [2 5]
//     [3 6]]

// [rot90]
rot90(x);
// -> [[3 6]
//     [2 5]
//     [1 4]]
rot90(x, -1);
// -> [[4 1]
//     [5 2]
//     [6 3]]

// [repeat]
repeat(v, 2, 0);  // -> [1 1 2 2 3 3]

// [tile]
tile(v, {2});  // -> [1 2 3 1 2 3]
tile(x, {1, 2});
// -> [[1 2 3 1 2 3]
//     [4 5 6 4 5 6]]

// [broadcast_to]
broadcast_to(v, {2, 3});
// -> [[1 2 3]
//     [1 2 3]]

// [broadcast_tensors]
broadcast_tensors({v, x});
// -> [[1 2 3]
//     [1 2 3]]
//    [[1 2 3]
//     [4 5 6]]

// [broadcast_shapes]
broadcast_shapes({2, 1}, {3});  // -> (2, 3)
broadcast_shapes({2, 3}, {4});  // -> ShapeError: [broadcast_shapes] cannot broadcast (2, 3) with (4,)

// [atleast_1d]
atleast_1d(sum(v)).shape();  // -> (1,)

// [atleast_2d]
atleast_2d(v).shape();  // -> (1, 3)

// [atleast_3d]
atleast_3d(v).shape();  // -> (1, 3, 1)

// [reshape]
reshape(x, {3, 2});
// -> [[1 2]
//     [3 4]
//     [5 6]]
x.reshape({-1});  // -> [1 2 3 4 5 6]

// [permute]
permute(image, {2, 0, 1}).shape();  // -> (4, 2, 3)

// [transpose]
x.transpose(0, 1);
// -> [[1 4]
//     [2 5]
//     [3 6]]

// [expand]
expand(v, {2, 3});
// -> [[1 2 3]
//     [1 2 3]]

// [squeeze]
zeros({1, 3, 1}).squeeze().shape();  // -> (3,)
squeeze(zeros({1, 3, 1}), 0).shape();  // -> (3, 1)

// [unsqueeze]
unsqueeze(v, 1);
// -> [[1]
//     [2]
//     [3]]

// [flip]
flip(v, 0);  // -> [3 2 1]
x.flip({});
// -> [[6 5 4]
//     [3 2 1]]

// [pad]
v.pad({{1, 2}}, 9);  // -> [9 1 2 3 9 9]
pad(v, {{2, 1}}, PadMode::reflect);  // -> [3 2 1 2 3 2]
pad(v, {{2, 1}}, PadMode::edge);  // -> [1 1 1 2 3 3]
pad(v, {{2, 1}}, PadMode::wrap);  // -> [2 3 1 2 3 1]

// [crop]
crop(x, {{0, 2}, {1, 3}});
// -> [[2 3]
//     [5 6]]

// [slice]
slice(x, 1, 1);
// -> [[2 3]
//     [5 6]]
v.slice(0, -1, {}, -1);  // -> [3 2 1]
image.slice(2, 0, 4, 2).shape();  // -> (2, 3, 2)

// [astype]
astype(v, DType::f32);  // -> [1. 2. 3.]
Tensor::from<float>({1.9, -1.9, NAN}, {3}).astype(DType::i32);  // -> [ 1 -1  0]

// [roll]
roll(v, 1);  // -> [3 1 2]
roll(x, 1, 1);
// -> [[3 1 2]
//     [6 4 5]]

// [windows]
windows(v, 0, {2});
// -> [[1 2]
//     [2 3]]
windows(image, {1, 2}, {2, 2}, {1, 2}).shape();  // -> (2, 2, 2, 2, 2)

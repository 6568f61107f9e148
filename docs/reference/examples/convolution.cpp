const Tensor line = Tensor::from<float>({3, 1, 4, 1, 5}, {1, 1, 5});
const Tensor image = arange(1, 10).reshape({1, 1, 3, 3});

// [conv]
conv(line, Tensor::from<float>({1, 10}, {1, 1, 2}));
// -> [[[13. 41. 14. 51.]]]
conv(line, Tensor::from<float>({1, 10}, {1, 1, 2}), {.stride = 2, .padding = 1});
// -> [[[30. 41. 51.]]]
conv(image, ones({1, 1, 3, 3}), {.padding = Padding::same, .bias = full({1}, 0.5F)});
// -> [[[[12.5 21.5 16.5]
//       [27.5 45.5 33.5]
//       [24.5 39.5 28.5]]]]
conv(expand(image, {1, 2, 3, 3}), ones({4, 1, 2, 2}), {.groups = 2}).shape();  // -> (1, 4, 2, 2)

// [conv_transpose]
conv_transpose(line, Tensor::from<float>({1, 10}, {1, 1, 2}));
// -> [[[ 3. 31. 14. 41. 15. 50.]]]
conv_transpose(image, ones({1, 1, 2, 2}), {.stride = 2, .bias = full({1}, 0.5F)})(0, 0);
// -> [[1.5 1.5 2.5 2.5 3.5 3.5]
//     [1.5 1.5 2.5 2.5 3.5 3.5]
//     [4.5 4.5 5.5 5.5 6.5 6.5]
//     [4.5 4.5 5.5 5.5 6.5 6.5]
//     [7.5 7.5 8.5 8.5 9.5 9.5]
//     [7.5 7.5 8.5 8.5 9.5 9.5]]
conv_transpose(image, ones({1, 4, 3, 3}), {.stride = 2, .padding = 1, .output_padding = 1}).shape();  // -> (1, 4, 6, 6)

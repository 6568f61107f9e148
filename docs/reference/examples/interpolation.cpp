const Tensor line = Tensor::from<float>({3, 1, 4, 1, 5}, {1, 1, 5});
const Tensor image = arange(1, 17).reshape({1, 1, 4, 4});

// [interpolate]
interpolate(line, 10);  // -> [[[3. 3. 1. 1. 4. 4. 1. 1. 5. 5.]]]
interpolate(line, 9, {.mode = Interpolation::linear, .align_corners = true});
// -> [[[3.  2.  1.  2.5 4.  2.5 1.  3.  5. ]]]
interpolate(image, {4, 2}, {.mode = Interpolation::cubic})(0, 0, 0);  // -> [1.40625 3.59375]
interpolate(image.squeeze(0), {2, 2}, {.mode = Interpolation::linear});  // without n the sizes are in braces
// -> [[[ 3.5  5.5]
//      [11.5 13.5]]]
interpolate(line, 3, {.scale = {0.5}});  // coordinates by the scale, not by 3 / 5
// -> [[[3. 4. 5.]]]

// [grid_sample]
const Tensor places = Tensor::from<float>({-1, -1, 0, 0, 1, 0.5, 2, 0}, {1, 1, 4, 2});  // column, row; -1 to 1
grid_sample(image, places);  // -> [[[[0.25 8.5  7.   0.  ]]]]
grid_sample(image, places, {.padding = PadMode::edge});  // -> [[[[ 1.   8.5 14.  10. ]]]]
grid_sample(image, places, {.mode = Interpolation::nearest, .align_corners = true});  // -> [[[[ 1. 11. 12.  0.]]]]

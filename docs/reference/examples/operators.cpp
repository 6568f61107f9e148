const Tensor a = Tensor::from<float>({1, 2, 3}, {3});
const Tensor i = Tensor::from<int32_t>({7, -7, 12}, {3});

// [operators]
2 * a - 1;       // -> [1. 3. 5.]
i % 5;           // -> [2 3 2]
(a >= 2) & (a != 3);  // -> [False  True False]
~(i << 1);       // -> [-15  13 -25]

// [operator+=]
Tensor x = a;
x += 1;  // other handles, such as a, keep their value
x;       // -> [2. 3. 4.]
a;       // -> [1. 2. 3.]
x += i.reshape({3, 1});
// -> ShapeError: [+=] the result would be (3, 3), and (3,) keeps its shape; assign the verb's result instead

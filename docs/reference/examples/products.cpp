const Tensor m = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
const Tensor v = Tensor::from<float>({1, 10}, {2});

// [matmul]
matmul(m, m);
// -> [[ 7. 10.]
//     [15. 22.]]
matmul(m, v);  // -> [21. 43.]
matmul(v, m.transpose(0, 1));  // -> [21. 43.]

// [dot]
dot(v, v);  // -> 101.0

// [outer]
outer(v, v);
// -> [[  1.  10.]
//     [ 10. 100.]]

// [inner]
inner(v, v);  // -> 101.0
inner(m, v);  // -> [21. 43.]

// [kron]
kron(v, m);
// -> [[ 1.  2. 10. 20.]
//     [ 3.  4. 30. 40.]]

// [cross]
const Tensor x = Tensor::from<float>({1, 0, 0}, {3});
const Tensor y = Tensor::from<float>({0, 1, 0, 0, 0, 2}, {2, 3});
cross(x, y);
// -> [[ 0.  0.  1.]
//     [ 0. -2.  0.]]

// [tensordot]
tensordot(m, m, {0, 1}, {0, 1});  // -> 30.0
tensordot(m, v, 0, 0);  // -> [31. 42.]

// [einsum]
einsum("ij,jk->ki", {m, m});
// -> [[ 7. 15.]
//     [10. 22.]]
einsum("ij,j,i->", {m, v, v});  // -> 451.0
einsum("ii->i", {m});  // -> [1. 4.]
einsum("...i,i", {m, v});  // -> [21. 43.]

const Tensor a = Tensor::from<float>({1, 2, 3}, {3});
const Tensor b = Tensor::from<float>({2, 2, -2}, {3});
const Tensor column = Tensor::from<float>({10, 20}, {2, 1});
const Tensor i = Tensor::from<int32_t>({7, -7, 12}, {3});
const Tensor j = Tensor::from<int32_t>({2, 2, 0}, {3});
const Tensor p = Tensor::from<bool>({true, true, false}, {3});
const Tensor q = Tensor::from<bool>({true, false, false}, {3});
const Tensor holes = Tensor::from<float>({NAN, 5, 0}, {3});

// [add]
add(a, b);  // -> [3. 4. 1.]
a + column;
// -> [[11. 12. 13.]
//     [21. 22. 23.]]
i + 0.5F;  // -> [ 7.5 -6.5 12.5]

// [sub]
a - b;  // -> [-1.  0.  5.]
1 - a;  // -> [ 0. -1. -2.]

// [mul]
a * b;  // -> [ 2.  4. -6.]
a * 2;  // -> [2. 4. 6.]

// [div]
a / b;  // -> [ 0.5  1.  -1.5]
i / j;  // -> [ 3 -3  0]

// [pow]
pow(a, b);  // -> [1.         4.         0.11111111]
pow(i, 2);  // -> [ 49  49 144]

// [remainder]
remainder(i, j);  // -> [1 1 0]
a % 2;  // -> [1. 0. 1.]

// [maximum]
maximum(a, b);  // -> [2. 2. 3.]
maximum(a, 2);  // -> [2. 2. 3.]

// [minimum]
minimum(a, b);  // -> [ 1.  2. -2.]

// [atan2]
atan2(a, b);  // -> [0.4636476 0.7853982 2.158799 ]

// [eq]
a == b;  // -> [False  True False]
all(a == b).item<bool>();  // -> false

// [ne]
a != b;  // -> [ True False  True]

// [lt]
a < b;  // -> [ True False False]

// [le]
a <= b;  // -> [ True  True False]

// [gt]
a > b;  // -> [False False  True]
a > 1.5F;  // -> [False  True  True]

// [ge]
a >= b;  // -> [False  True  True]

// [isclose]
isclose(a, b);  // -> [False  True False]
isclose(a, a * 1.000001F);  // -> [True True True]

// [allclose]
allclose(a, a * 1.000001F);  // -> true
allclose(a, b);  // -> false

// [array_equal]
array_equal(a, a + 0);  // -> true
array_equal(a, column);  // -> false

// [same]
same(a, a);  // -> true
same(a, a + 0);  // -> false

// [logical_and]
logical_and(p, q);  // -> [ True False False]
logical_and(i, j);  // -> [ True  True False]

// [logical_or]
logical_or(p, q);  // -> [ True  True False]

// [logical_xor]
logical_xor(p, q);  // -> [False  True False]

// [bit_not]
~i;  // -> [ -8   6 -13]
~p;  // -> [False False  True]

// [bit_and]
i & 3;  // -> [3 1 0]
p & q;  // -> [ True False False]

// [bit_or]
i | 3;  // -> [ 7 -5 15]
p | q;  // -> [ True  True False]

// [bit_xor]
i ^ 3;  // -> [ 4 -6 15]
p ^ q;  // -> [False  True False]

// [shift_left]
i << 1;  // -> [ 14 -14  24]

// [shift_right]
i >> 1;  // -> [ 3 -4  6]

// [where]
where(a > b, a, b);  // -> [2. 2. 3.]
where(p, a, 0);  // -> [1. 2. 0.]

// [clip]
clip(b, -1, 1);  // -> [ 1.  1. -1.]

// [floor_divide]
floor_divide(i, j);  // -> [ 3 -4  0]
floor_divide(a, -2);  // -> [-1. -1. -2.]

// [fmod]
fmod(i, 5);  // -> [ 2 -2  2]

// [fmax]
fmax(a, holes);  // -> [1. 5. 3.]

// [fmin]
fmin(a, holes);  // -> [1. 2. 0.]

// [hypot]
hypot(a, b);  // -> [2.236068  2.828427  3.6055512]

// [copysign]
copysign(a, b);  // -> [ 1.  2. -3.]

// [logaddexp]
logaddexp(a, b);  // -> [2.3132617 2.6931472 3.0067153]

// [logaddexp2]
logaddexp2(a, b);  // -> [2.5849626 3.        3.044394 ]

// [xlogy]
xlogy(a, a);  // -> [0.        1.3862944 3.295837 ]

// [lerp]
lerp(a, b, 0.5F);  // -> [1.5 2.  0.5]

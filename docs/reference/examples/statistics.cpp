const Tensor x = Tensor::from<float>({1, 5, 3, 4, 2, 6}, {2, 3});
const Tensor holes = Tensor::from<float>({1, NAN, 3, 8}, {4});
const Tensor w = Tensor::from<float>({1, 1, 2}, {3});
const Tensor i = Tensor::from<int32_t>({1, 4, 9, 16}, {4});

// [stddev]
stddev(x);  // -> 1.7078252
stddev(x, 1, false, 1);  // -> [2. 2.]

// [moments]
moments(x, 1);
// -> [3. 4.]
//    [2.6666667 2.6666667]

// [norm]
norm(x);  // -> 9.539392
norm(x, 1, false, 1);  // -> [ 9. 12.]
norm(x, {}, false, INFINITY);  // -> 6.0

// [count_nonzero]
count_nonzero(x > 2);  // -> 4
count_nonzero(x - 1, 1);  // -> [2 3]

// [nansum]
nansum(holes);  // -> 12.0

// [nanmean]
nanmean(holes);  // -> 4.0

// [nanmax]
nanmax(holes);  // -> 8.0

// [nanmin]
nanmin(holes);  // -> 1.0

// [median]
median(x);  // -> 3.5
median(x, 0);  // -> [2.5 3.5 4.5]

// [quantile]
quantile(x, 0.5);  // -> 3.5
quantile(x, 0.25, 1);  // -> [2. 3.]

// [ptp]
ptp(x, 1);  // -> [4. 4.]

// [average]
average(x, w, 1);  // -> [3.  4.5]

// [argmax]
argmax(x, 1);  // -> [1 2]
argmax(x, 0, true);  // -> [[1 0 1]]
argmax(x);  // -> 5

// [argmin]
argmin(x, 1);  // -> [0 1]
argmin(x);  // -> 0

// [trace]
trace(x);  // -> 3.0

// [cov]
cov(x);
// -> [[ 4. -2.]
//     [-2.  4.]]
cov(x, 0);
// -> [[ 2.6666667 -1.3333334]
//     [-1.3333334  2.6666667]]

// [corrcoef]
corrcoef(x);
// -> [[ 1.  -0.5]
//     [-0.5  1. ]]

// [diff]
diff(i);  // -> [3 5 7]
diff(i, 2);  // -> [2 2]

// [logcumsumexp]
logcumsumexp(x, 1);
// -> [[1.        5.01815   5.1429315]
//     [4.        4.126928  6.1429315]]

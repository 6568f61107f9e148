const Tensor x = Tensor::from<float>({1, 5, 3, 4, 2, 6}, {2, 3});
const Tensor y = Tensor::from<float>({1, 0, 2}, {3});
const Tensor i = Tensor::from<int32_t>({3, 1, 2}, {3});

// [sum]
sum(x);  // -> 21.0
sum(x, 0);  // -> [5. 7. 9.]
sum(x, -1, true);
// -> [[ 9.]
//     [12.]]
sum(x > 2);  // -> 4

// [prod]
prod(x);  // -> 720.0
prod(x, 1);  // -> [15. 48.]

// [max]
max(x);  // -> 6.0
max(x, 0);  // -> [4. 5. 6.]

// [min]
min(x);  // -> 1.0
min(x, 1);  // -> [1. 2.]

// [mean]
mean(x);  // -> 3.5
mean(x, 0);  // -> [2.5 3.5 4.5]
mean(i);  // -> 2.0

// [var]
var(x);  // -> 2.9166667
var(x, 1);  // -> [2.6666667 2.6666667]
var(x, 1, false, 1);  // -> [4. 4.]

// [any]
any(x > 5);  // -> True
any(x > 5, 1);  // -> [False  True]

// [all]
all(x > 0);  // -> True
all(x > 2, 1);  // -> [False False]

// [logsumexp]
logsumexp(x);  // -> 6.4561934
logsumexp(x + 1000, 1);  // -> [1005.14294 1006.14294]

// [softmax]
softmax(x, 1);
// -> [[0.01587624 0.86681336 0.11731043]
//     [0.11731042 0.01587624 0.8668133 ]]

// [log_softmax]
log_softmax(x, 1);
// -> [[-4.1429315 -0.1429316 -2.1429317]
//     [-2.1429317 -4.142932  -0.1429317]]

// [multiply_sum]
multiply_sum(x, y, 1);  // -> [ 7. 16.]
multiply_sum(x, x, {});  // -> 91.0

const Tensor x = Tensor::from<float>({1, 5, 3, 4, 2, 6}, {2, 3});
const Tensor holes = Tensor::from<float>({1, NAN, 3, 8}, {4});
const Tensor w = Tensor::from<float>({1, 1, 2}, {3});
const Tensor i = Tensor::from<int32_t>({1, 4, 9, 16}, {4});

// [stddev]
stddev(x);  // ->
stddev(x, 1, false, 1);  // ->

// [moments]
moments(x, 1);  // ->

// [norm]
norm(x);  // ->
norm(x, 1, false, 1);  // ->
norm(x, {}, false, INFINITY);  // ->

// [count_nonzero]
count_nonzero(x > 2);  // ->
count_nonzero(x - 1, 1);  // ->

// [nansum]
nansum(holes);  // ->

// [nanmean]
nanmean(holes);  // ->

// [nanmax]
nanmax(holes);  // ->

// [nanmin]
nanmin(holes);  // ->

// [median]
median(x);  // ->
median(x, 0);  // ->

// [quantile]
quantile(x, 0.5);  // ->
quantile(x, 0.25, 1);  // ->

// [ptp]
ptp(x, 1);  // ->

// [average]
average(x, w, 1);  // ->

// [argmax]
argmax(x, 1);  // ->
argmax(x, 0, true);  // ->
argmax(x);  // ->

// [argmin]
argmin(x, 1);  // ->
argmin(x);  // ->

// [trace]
trace(x);  // ->

// [cov]
cov(x);  // ->
cov(x, 0);  // ->

// [corrcoef]
corrcoef(x);  // ->

// [diff]
diff(i);  // ->
diff(i, 2);  // ->

// [logcumsumexp]
logcumsumexp(x, 1);  // ->

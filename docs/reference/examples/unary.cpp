const Tensor x = Tensor::from<float>({-2, -0.5, 0, 1.5}, {4});
const Tensor angle = Tensor::from<float>({0, 0.5, 1, 2}, {4});
const Tensor positive = Tensor::from<float>({0.25, 1, 4, 100}, {4});
const Tensor whole = Tensor::from<int32_t>({-3, 0, 7}, {3});
const Tensor special = Tensor::from<float>({1, INFINITY, NAN}, {3});
const Tensor unit = Tensor::from<float>({-1, -0.5, 0, 0.5}, {4});

// [neg]
neg(x);  // -> [ 2.   0.5 -0.  -1.5]
-whole;  // -> [ 3  0 -7]

// [abs]
abs(x);  // -> [2.  0.5 0.  1.5]
abs(whole);  // -> [3 0 7]

// [sign]
sign(x);  // -> [-1. -1.  0.  1.]
sign(whole);  // -> [-1  0  1]

// [exp]
exp(x);  // -> [0.13533528 0.60653067 1.         4.481689  ]
exp(whole).dtype();  // -> f32

// [exp2]
exp2(x);  // -> [0.25       0.70710677 1.         2.828427  ]

// [log]
log(positive);  // -> [-1.3862944  0.         1.3862944  4.6051702]
log(x);  // -> [      nan       nan      -inf 0.4054651]

// [log2]
log2(positive);  // -> [-2.        0.        2.        6.643856]

// [log1p]
log1p(positive);  // -> [0.22314355 0.6931472  1.609438   4.6151204 ]
log1p(x * 1e-6F);  // -> [-2.0000020e-06 -5.0000010e-07  0.0000000e+00  1.4999989e-06]

// [expm1]
expm1(x);  // -> [-0.86466473 -0.39346933  0.          3.481689  ]
expm1(x * 1e-6F);  // -> [-1.9999980e-06 -4.9999990e-07  0.0000000e+00  1.5000012e-06]

// [sqrt]
sqrt(positive);  // -> [ 0.5  1.   2.  10. ]
sqrt(x);  // -> [      nan       nan 0.        1.2247449]

// [rsqrt]
rsqrt(positive);  // -> [2.  1.  0.5 0.1]

// [reciprocal]
reciprocal(positive);  // -> [4.   1.   0.25 0.01]

// [square]
square(x);  // -> [4.   0.25 0.   2.25]
square(whole);  // -> [ 9  0 49]

// [sin]
sin(angle);  // -> [0.         0.47942555 0.84147096 0.9092974 ]

// [cos]
cos(angle);  // -> [ 1.          0.87758255  0.5403023  -0.41614684]

// [tan]
tan(angle);  // -> [ 0.         0.5463025  1.5574077 -2.1850398]

// [tanh]
tanh(x);  // -> [-0.9640276  -0.46211717  0.          0.90514827]

// [sigmoid]
sigmoid(x);  // -> [0.11920292 0.37754068 0.5        0.8175745 ]

// [relu]
relu(x);  // -> [0.  0.  0.  1.5]
relu(whole);  // -> [0 0 7]

// [gelu]
gelu(x);  // -> [-0.04550026 -0.15426877  0.          1.3997892 ]

// [silu]
silu(x);  // -> [-0.23840584 -0.18877034  0.          1.2263618 ]

// [erf]
erf(x);  // -> [-0.9953223  -0.5204999   0.          0.96610516]

// [floor]
floor(x);  // -> [-2. -1.  0.  1.]

// [ceil]
ceil(x);  // -> [-2. -0.  0.  2.]

// [round]
round(x);  // -> [-2. -0.  0.  2.]

// [trunc]
trunc(x);  // -> [-2. -0.  0.  1.]

// [isnan]
isnan(special);  // -> [False False  True]

// [isinf]
isinf(special);  // -> [False  True False]

// [isfinite]
isfinite(special);  // -> [ True False False]

// [logical_not]
logical_not(whole);  // -> [False  True False]
!(x > 0);  // -> [ True  True  True False]

// [signbit]
signbit(x);  // -> [ True  True False False]

// [exp10]
exp10(x);  // -> [1.0000000e-02 3.1622776e-01 1.0000000e+00 3.1622776e+01]

// [log10]
log10(positive);  // -> [-0.60206  0.       0.60206  2.     ]

// [cbrt]
cbrt(whole);  // -> [-1.4422495  0.         1.9129312]

// [asin]
asin(unit);  // -> [-1.5707964 -0.5235988  0.         0.5235988]

// [acos]
acos(unit);  // -> [3.1415927 2.0943952 1.5707964 1.0471976]

// [atan]
atan(x);  // -> [-1.1071488  -0.4636476   0.          0.98279375]

// [sinh]
sinh(x);  // -> [-3.6268604 -0.5210953  0.         2.1292794]

// [cosh]
cosh(x);  // -> [3.7621958 1.127626  1.        2.3524096]

// [asinh]
asinh(x);  // -> [-1.4436355  -0.48121184  0.          1.1947632 ]

// [acosh]
acosh(positive);  // -> [     nan 0.       2.063437 5.298292]

// [atanh]
atanh(unit);  // -> [       -inf -0.54930615  0.          0.54930615]

// [rad2deg]
rad2deg(angle);  // -> [  0.       28.64789  57.29578 114.59156]

// [deg2rad]
deg2rad(whole);  // -> [-0.05235988  0.          0.12217305]

// [erfc]
erfc(x);  // -> [1.9953222  1.5204998  1.         0.03389485]

// [erfinv]
erfinv(unit);  // -> [       -inf -0.47693628  0.          0.47693628]

// [lgamma]
lgamma(positive);  // -> [  1.2880225   0.          1.7917595 359.13422  ]

// [digamma]
digamma(positive);  // -> [-4.2274537 -0.5772157  1.2561177  4.600162 ]

// Activation functions of neural networks.

//@ eg_sigmoid : eg_exp
// 1 / (1 + e) for x >= 0 and e / (1 + e) below, e = exp(-|x|): never overflows, and small results keep their accuracy.
// EG_FUSED: 1 / (1 + exp(-x)), 0 where the reciprocal would be denormal.
// Measured 2 / 3.
#ifdef EG_FUSED
float eg_sigmoid(float x) { return 1.0 / (1.0 + eg_exp(-x)); }
#else
float eg_sigmoid(float x) {
  float e = eg_exp(-abs(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}
#endif

//@ eg_sigmoid_near : eg_sigmoid
// As eg_exp_near.
#ifdef EG_CLOSE_EXP2
float eg_sigmoid_near(float x) { return 1.0 / (1.0 + exp2(x * -1.44269504)); }
#else
float eg_sigmoid_near(float x) { return eg_sigmoid(x); }
#endif

//@ eg_sigmoid_product : eg_exp_reduced eg_power_of_two
// x / (1 + e) for x >= 0 and x e / (1 + e) below, e = 2^n exp(r); the powers of two of e are multiplied in one at a time,
// since e alone may be denormal where x e is not.
float eg_sigmoid_product(float x, float n, float r) {
  int half_n = int(n) >> 1;
  float second = eg_power_of_two(int(n) - half_n);
  float p = eg_exp_reduced(r) * eg_power_of_two(half_n);
  float numerator = x < 0.0 ? (x * p) * second : x;
  return numerator / (1.0 + p * second);
}

//@ eg_logistic_product : eg_exp2_of_sum
// x / (1 + 2^(a + b)), a < 190. From a = 64 on both sides are divided by 2^64: the sum alone may overflow where the
// quotient is normal.
#ifdef EG_FUSED
float eg_logistic_product(float x, float a, float b) {
  bool far = a > 64.0;
  float one = far ? 5.42101086e-20 : 1.0;
  float e = eg_exp2_of_sum(far ? a - 64.0 : a, b);
  return (x * one) / (one + e);
}
#endif

//@ eg_silu : eg_sigmoid_product eg_exp_rest eg_logistic_product eg_log2_e_rest
// x sigmoid(x), with e = exp(-|x|). Below -110 (at -infinity too) the result rounds to -0.
// Measured 3 / 3.
#ifdef EG_FUSED
float eg_silu(float x) {
  float t = -clamp(x, -110.0, 110.0);
  float a = t * 1.44269502;
  float y = eg_logistic_product(x, a, eg_log2_e_rest(t, a));
  return x < -110.0 ? uintBitsToFloat(0x80000000u) : y;
}
#else
float eg_silu(float x) {
  float t = -min(abs(x), 110.0);
  float n = floor(EG_FMA(t, 1.44269502, 0.5));
  float y = eg_sigmoid_product(x, n, eg_exp_rest(t, n));
  return x < -110.0 ? uintBitsToFloat(0x80000000u) : y;
}
#endif

//@ eg_normal_tail :
// P(normal > t) exp(t^2 / 2) for t >= 0: Q(u), u = (t - 3.5) / (t + 3.5). Q, of degree 8, is fitted for t <= 5.3 (2^-27
// relative) and harmless beyond.
float eg_normal_tail(float t) {
  float u = (t - 3.5) / (t + 3.5);
  float q = 0.00016480028;
  q = EG_FMA(q, u, 0.00037419924);
  q = EG_FMA(q, u, -0.00140002894);
  q = EG_FMA(q, u, -0.00156198232);
  q = EG_FMA(q, u, 0.0190683082);
  q = EG_FMA(q, u, -0.0616391338);
  q = EG_FMA(q, u, 0.125855148);
  q = EG_FMA(q, u, -0.187139705);
  return EG_FMA(q, u, 0.106345154);
}

//@ eg_gelu : eg_exp_minus_square eg_isnan eg_normal_tail
// x (1 + erf(x / sqrt 2)) / 2 is x (1 - F(t)) for x > 0, else x F(t); t = |x|, F(t) = P(normal > t). Nothing cancels, so
// negative x keep their accuracy. t is bounded where F rounds to 0; above, x is taken itself, since a compiler may
// multiply x (1 - F) out.
// Measured 5 / 5 for x >= -5, below 3e-13 absolute.
float eg_gelu(float x) {
  float t = min(abs(x), 16.0);
  float last;
  float e = eg_exp_minus_square(t, 0.5, last);
  float f = eg_normal_tail(t) * e;
  float rest = EG_FMA(-f, last, 1.0);
  float positive = x * rest;
  float y = x > 0.0 ? positive : (max(x, -16.0) * f) * last;
  y = x > 16.0 ? x : y;
  return eg_isnan(x) ? x : y;
}

//@ eg_gelu_slope : eg_exp_near eg_isnan eg_normal_tail
// P(normal < x) + x exp(-x^2 / 2) / sqrt(2 pi): of negative x exp(-t^2 / 2) (Q(t) - t / sqrt(2 pi)), of positive ones 1
// less that; t = |x|, Q of eg_normal_tail. t is bounded where the first rounds to 0.
float eg_gelu_slope(float x) {
  float t = min(abs(x), 16.0);
  float y = eg_exp_near(-0.5 * t * t) * EG_FMA(t, -0.398942280, eg_normal_tail(t));
  y = x > 0.0 ? 1.0 - y : y;
  return eg_isnan(x) ? x : y;
}

//@ eg_softplus : eg_exp eg_log_tail eg_isnan
// max(x, 0) + log(1 + e), e = exp(-|x|); 1 + e = 2^n (1 + f), n = 1 from e = sqrt 2 - 1 on, where f = (e - 1) / 2.
// Measured 2 / 3.
float eg_softplus(float x) {
  float e = eg_exp(-abs(x));
  float n = e > 0.414213568 ? 1.0 : 0.0;
  float f = e > 0.414213568 ? 0.5 * e - 0.5 : e;
  float y = EG_FMA(n, 0.693145752, f + eg_log_tail(f, n * 1.42860677e-6));
  return eg_isnan(x) ? x : max(x, 0.0) + y;
}

//@ eg_softplus_near : eg_softplus eg_exp_near eg_log1p_near
// As eg_exp_near.
#ifdef EG_CLOSE_EXP2
float eg_softplus_near(float x) { return max(x, 0.0) + eg_log1p_near(eg_exp_near(-abs(x))); }
#else
float eg_softplus_near(float x) { return eg_softplus(x); }
#endif

//@ eg_selu : eg_expm1
// Measured 2.
float eg_selu(float x) { return x > 0.0 ? 1.05070102 * x : 1.75809932 * eg_expm1(x); }

//@ eg_gelu_tanh : eg_sigmoid_product eg_exp_rest eg_high_bits eg_isnan eg_logistic_product
// x (1 + tanh(u / 2)) / 2 is x / (1 + exp(-u)), u = x (c1 + c2 x^2), c1 = sqrt(8 / pi), c2 = 0.044715 c1. u in two
// floats, since the error of one would be multiplied by up to 80: every product that enters a difference is of leading
// bits and exact, so contraction to fma changes nothing. Below -11 the result vanishes. EG_FUSED: -u / ln 2 = x s,
// s = k1 + k2 x^2, as sums of two floats a + b, each b by an fma that leaves what its a lost; the first float of k1 has
// 21 bits, so that no sum with it loses more than one fma finds again.
// Measured 3.
#ifdef EG_FUSED
float eg_gelu_tanh(float x) {
  float t = clamp(x, -12.0, 12.0);
  float v = t * t;
  float v_rest = fma(t, t, -v);
  float s = fma(v, -0.102943242, -2.30220795);
  float s_rest = fma(v, -0.102943242, -2.30220795 - s) + fma(v_rest, -0.102943242, fma(v, 2.01619854e-09, -2.5136697e-07));
  float a = t * s;
  float y = eg_logistic_product(x, a, fma(t, s_rest, fma(t, s, -a)));
  return x < -11.0 ? uintBitsToFloat(0x80000000u) : y;
}
#else
float eg_gelu_tanh(float x) {
  float t = -min(abs(x), 11.0);
  float th = eg_high_bits(t);
  float vh = eg_high_bits(th * th);
  float vl = (th * th - vh) + (t - th) * (t + th);
  float q = 0.0713500977 * vh;
  float ql = 0.0713500977 * vl + 4.71861631e-06 * (vh + vl);
  float sh = eg_high_bits(1.59570312 + (q + ql));
  float sl = ((1.59570312 - sh) + q) + (ql + 6.59966026e-05);
  float u = th * sh;
  float ul = (t - th) * (sh + sl) + th * sl;
  float n = floor(EG_FMA(u + ul, 1.44269502, 0.5));
  float y = eg_sigmoid_product(x, n, eg_exp_rest(u, n) + ul);
  y = x < -11.0 ? uintBitsToFloat(0x80000000u) : y;
  return eg_isnan(x) ? x : y;
}
#endif

//@ eg_hardsigmoid : eg_clip
// Measured 1.
float eg_hardsigmoid(float x) { return eg_clip(x + 3.0, 0.0, 6.0) * 0.166666672; }

//@ eg_hardswish : eg_hardsigmoid
// Not x times it, which is NaN at -infinity.
// Measured 2.
float eg_hardswish(float x) { return max(x, -3.0) * eg_hardsigmoid(x); }

//@ eg_mish : eg_exp eg_silu eg_isnan
// tanh(log(1 + e)) = n / (n + 2), n = e (e + 2), e = exp(x). Below -20 that is e / (1 + e) to 2^-29.
// Measured 4.
float eg_mish(float x) {
  float e = eg_exp(clamp(x, -20.0, 20.0));
  float n = e * (e + 2.0);
  float y = x < -20.0 ? eg_silu(x) : x * (n / (n + 2.0));
  return eg_isnan(x) ? x : y;
}

//@ eg_softsign : eg_div eg_isnan
// x / (1 + |x|), bounded where the result rounds to 1 so that infinities do not give NaN.
// Measured 1.
float eg_softsign(float x) {
  float s = clamp(x, -1.0e9, 1.0e9);
  return eg_isnan(x) ? x : eg_div(s, 1.0 + abs(s));
}

//@ eg_tanhshrink : eg_exp eg_copysign eg_isnan
// |x| < 1: x^3 P(x^2), P of degree 7, 2^-25 relative; above: (|x| - 1) + 2 / (1 + exp(2 |x|)).
// Measured 3.
float eg_tanhshrink(float x) {
  float a = abs(x);
  float v = a * a;
  float p = -0.000208316327;
  p = EG_FMA(p, v, 0.00115838426);
  p = EG_FMA(p, v, -0.00353917433);
  p = EG_FMA(p, v, 0.00893256813);
  p = EG_FMA(p, v, -0.0219154041);
  p = EG_FMA(p, v, 0.0539785661);
  p = EG_FMA(p, v, -0.13333413);
  p = EG_FMA(p, v, 0.333333343);
  float far = (a - 1.0) + 2.0 / (1.0 + eg_exp(2.0 * min(a, 20.0)));
  float y = a < 1.0 ? a * (v * p) : far;
  return eg_isnan(x) ? x : eg_copysign(y, x);
}

// Exponentials and hyperbolic functions.

//@ eg_exp_reduced :
// exp(r) for |r| <= ln 2 / 2 (a little more does no harm): 1 + r + r^2 P(r), P of degree 4, 2^-28 relative.
float eg_exp_reduced(float r) {
  float p = 0.00138471858;
  p = EG_FMA(p, r, 0.00836999435);
  p = EG_FMA(p, r, 0.041668009);
  p = EG_FMA(p, r, 0.166665092);
  p = EG_FMA(p, r, 0.49999994);
  return 1.0 + EG_FMA(r * r, p, r);
}

//@ eg_exp_rest :
// x - n ln 2, with ln 2 in two parts (Cody and Waite); n times the first, of 15 bits, is exact.
float eg_exp_rest(float x, float n) { return EG_FMA(n, -1.42860677e-6, EG_FMA(n, -0.693145752, x)); }

//@ eg_exp2_of_sum :
// 2^(a + b) of a small b, by the driver's exp2.
#ifdef EG_FUSED
float eg_exp2_of_sum(float a, float b) {
  float y = exp2(a);
  return fma(y, b * 0.693147182, y);
}
#endif

//@ eg_log2_e_rest :
// x / ln 2 - product, for product = x / ln 2 rounded.
#ifdef EG_FUSED
float eg_log2_e_rest(float x, float product) {
  return fma(x, 1.92596303e-8, fma(x, 1.44269502, -product));
}
#endif

//@ eg_exp : eg_scale eg_exp_reduced eg_exp_rest eg_infinity eg_log2_e_rest
// exp(x) = 2^n exp(x - n ln 2), n = round(x / ln 2); EG_FUSED: 2^(x / ln 2), x / ln 2 in two floats. Where the power
// of the first is 0 or infinity, what the second adds may be NaN: max() takes the other there, as NVIDIA's does.
// Measured 1 / 3.
#ifdef EG_FUSED
float eg_exp(float x) {
  float a = x * 1.44269502;
  float y = exp2(a);
  return max(fma(y, eg_log2_e_rest(x, a) * 0.693147182, y), 0.5 * y);
}
#else
float eg_exp(float x) {
  float n = floor(x * 1.44269502 + 0.5);
  float y = eg_scale(eg_exp_reduced(eg_exp_rest(x, n)), int(n));
  y = x < -104.0 ? 0.0 : y;
  return x > 88.7228394 ? eg_infinity() : y;
}
#endif

//@ eg_exp_near : eg_exp
// Near enough for results of 16 bits: rounding x / ln 2 costs a relative error of |x| 2^-24, a built-in exp2 within
// EG_CLOSE_EXP2 ULP little more.
#ifdef EG_CLOSE_EXP2
float eg_exp_near(float x) { return exp2(x * 1.44269504); }
#else
float eg_exp_near(float x) { return eg_exp(x); }
#endif

//@ eg_exp2_reduced :
// 2^r for |r| <= 1/2: 1 + r P(r), P of degree 5, 2^-26 relative.
float eg_exp2_reduced(float r) {
  float p = 0.000133602371;
  p = EG_FMA(p, r, 0.0013388705);
  p = EG_FMA(p, r, 0.00962549169);
  p = EG_FMA(p, r, 0.0555036515);
  p = EG_FMA(p, r, 0.240225926);
  p = EG_FMA(p, r, 0.693147182);
  return EG_FMA(r, p, 1.0);
}

//@ eg_exp2 : eg_scale eg_exp2_reduced eg_infinity
// 2^x = 2^n 2^r, n = round(x); r = x - n is exact.
// Measured 1 / 2.
#ifdef EG_FUSED
float eg_exp2(float x) { return exp2(x); }
#else
float eg_exp2(float x) {
  float n = floor(x + 0.5);
  float y = eg_scale(eg_exp2_reduced(x - n), int(n));
  y = x < -150.0 ? 0.0 : y;
  return x >= 128.0 ? eg_infinity() : y;
}
#endif

//@ eg_exp2_near : eg_exp2
// As eg_exp_near, of a number that is a multiple of ln 2 already.
#ifdef EG_CLOSE_EXP2
float eg_exp2_near(float x) { return exp2(x); }
#else
float eg_exp2_near(float x) { return eg_exp2(x); }
#endif

//@ eg_exp10 : eg_scale eg_exp_reduced eg_infinity eg_isnan
// 10^x = 2^n exp(r log 10), n = round(x log2 10), r = x - n log10 2 with log10 2 in two parts; n times the first, of
// 16 bits, is exact.
// Measured 1.
float eg_exp10(float x) {
  float n = floor(EG_FMA(x, 3.32192802, 0.5));
  float r = EG_FMA(n, -4.60503898e-6, EG_FMA(n, -0.301025391, x));
  float y = eg_scale(eg_exp_reduced(r * 2.30258512), int(n));
  y = x < -46.0 ? 0.0 : y;
  y = x > 38.5318375 ? eg_infinity() : y;
  return eg_isnan(x) ? x : y;
}

//@ eg_expm1 : eg_exp_rest eg_power_of_two eg_infinity
// exp(x) - 1 = 2 (2^(n-1) E + (2^(n-1) - 1/2)), with E = exp(r) - 1 = r + r^2 P(r), P of degree 5, 2^-28 relative;
// the sum cancels nowhere, and n - 1 instead of n keeps n = 128 finite. n is bounded below, where the result is -1.
// Measured 1 / 3.
float eg_expm1(float x) {
  float n = floor(EG_FMA(max(x, -20.0), 1.44269502, 0.5));
  float r = eg_exp_rest(x, n);
  float p = 0.000150425025;
  p = EG_FMA(p, r, 0.0013931531);
  p = EG_FMA(p, r, 0.00834170915);
  p = EG_FMA(p, r, 0.041666504);
  p = EG_FMA(p, r, 0.166666344);
  p = EG_FMA(p, r, 0.5);
  float e = EG_FMA(r * r, p, r);
  float half_scale = eg_power_of_two(int(n) - 1);
  float y = 2.0 * EG_FMA(half_scale, e, half_scale - 0.5);
  y = n == 0.0 ? e : y;
  y = x == 0.0 ? x : (x < -17.5 ? -1.0 : y);
  return x > 88.7228394 ? eg_infinity() : y;
}

//@ eg_expm1_near : eg_expm1
// As eg_exp_near; x P(x), P of degree 4, 2^-21 relative, where 1 would cancel most of exp(x).
#ifdef EG_CLOSE_EXP2
float eg_expm1_near(float x) {
  float p = 0.00833332073;
  p = EG_FMA(p, x, 0.0418792516);
  p = EG_FMA(p, x, 0.166669458);
  p = EG_FMA(p, x, 0.499993533);
  p = EG_FMA(p, x, 1.0);
  return abs(x) < 0.35 ? x * p : exp2(x * 1.44269504) - 1.0;
}
#else
float eg_expm1_near(float x) { return eg_expm1(x); }
#endif

//@ eg_tanh : eg_expm1 eg_copysign eg_isnan
// tanh |x| = E / (E + 2), E = exp(2 |x|) - 1, and the sign of x; from 9.02 on the result rounds to 1.
// EG_FUSED: 1 - 2 / (1 + exp(2 x)), |x| < 0.6: x (1 + x^2 P(x^2)), P of degree 4, 2^-28 relative.
// Measured 2 / 3 without EG_FUSED.
#ifdef EG_FUSED
float eg_tanh(float x) {
  float v = x * x;
  float p = fma(fma(fma(fma(-0.00589515548, v, 0.0207959693), v, -0.0537838303), v, 0.133319244), v, -0.333332986);
  return abs(x) < 0.6 ? x * fma(v, p, 1.0) : 1.0 - 2.0 / (1.0 + exp2(x * 2.88539008));
}
#else
float eg_tanh(float x) {
  float e = eg_expm1(2.0 * min(abs(x), 10.0));
  return eg_isnan(x) ? x : eg_copysign(e / (e + 2.0), x);
}
#endif

//@ eg_tanh_near : eg_tanh
// As eg_exp_near: 1 - 2 / (1 + exp(2 x)), below 1/2 x P(x^2), P of degree 3, 2^-20 relative.
#ifdef EG_CLOSE_EXP2
float eg_tanh_near(float x) {
  float v = x * x;
  float p = -0.0444022268;
  p = EG_FMA(p, v, 0.131902963);
  p = EG_FMA(p, v, -0.333263189);
  p = EG_FMA(p, v, 0.999999464);
  return abs(x) < 0.5 ? x * p : 1.0 - 2.0 / (1.0 + exp2(x * 2.88539008));
}
#else
float eg_tanh_near(float x) { return eg_tanh(x); }
#endif

//@ eg_half_exp : eg_scale eg_exp_reduced eg_exp_rest
// exp(x) / 2 for 0 <= x <= 90: finite where exp(x) no longer is.
float eg_half_exp(float x) {
  float n = floor(EG_FMA(x, 1.44269502, 0.5));
  return eg_scale(eg_exp_reduced(eg_exp_rest(x, n)), int(n) - 1);
}

//@ eg_sinh : eg_half_exp eg_copysign eg_isnan eg_infinity
// |x| < 1: x + x^3 P(x^2), P of degree 3, 2^-31 relative; above: h - 1 / (4 h), h = exp(|x|) / 2.
// Measured 1.
float eg_sinh(float x) {
  float a = abs(x);
  float v = a * a;
  float p = 2.78221319e-06;
  p = EG_FMA(p, v, 0.000198428956);
  p = EG_FMA(p, v, 0.00833331048);
  p = EG_FMA(p, v, 0.166666672);
  float h = eg_half_exp(min(a, 90.0));
  float y = a < 1.0 ? a + a * (v * p) : h - 0.25 / h;
  y = a > 89.4159927 ? eg_infinity() : y;
  return eg_isnan(x) ? x : eg_copysign(y, x);
}

//@ eg_cosh : eg_half_exp eg_isnan eg_infinity
// h + 1 / (4 h), h = exp(|x|) / 2.
// Measured 1.
float eg_cosh(float x) {
  float a = abs(x);
  float h = eg_half_exp(min(a, 90.0));
  float y = a > 89.4159927 ? eg_infinity() : h + 0.25 / h;
  return eg_isnan(x) ? x : y;
}

//@ eg_exp_minus_square : eg_exp_reduced eg_exp_rest eg_high_bits eg_power_of_two eg_exp2_of_sum eg_log2_e_rest
// exp(-c t^2) without its last factor, a power of two that is given by itself, since the result may be denormal where
// what it is multiplied by makes it normal (EG_FUSED: that is 1, as no caller multiplies by more). t^2 is taken in two
// parts: its rounding error alone would cost 6 units in the last place at c t^2 = 12.
#ifdef EG_FUSED
float eg_exp_minus_square(float t, float c, out float last) {
  float v = t * t;
  float low = -c * fma(t, t, -v);
  float a = (-c * v) * 1.44269502;
  last = 1.0;
  return eg_exp2_of_sum(a, fma(low, 1.44269502, eg_log2_e_rest(-c * v, a)));
}
#else
float eg_exp_minus_square(float t, float c, out float last) {
  float th = eg_high_bits(t);
  float high = -c * (th * th);
  float low = -c * ((t - th) * (t + th));
  float n = floor(EG_FMA(high, 1.44269502, 0.5));
  float r = eg_exp_rest(high, n) + low;
  int half_n = int(n) >> 1;
  last = eg_power_of_two(int(n) - half_n);
  return eg_exp_reduced(r) * eg_power_of_two(half_n);
}
#endif

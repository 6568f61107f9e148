// Gamma functions.

//@ eg_lgamma : eg_log eg_from_integer eg_sin_reduced eg_cos_reduced eg_isnan eg_isinf eg_infinity
// log |gamma(x)|. Of a = |x|: below 1.5 (a - 1) P(a - 1), below 3 (a - 2) Q(a - 2), so that the zeros are exact; below
// 6 R(a - 4.5); from there Stirling's series. P of degree 11, Q and R of 8, 2^-23 relative. |x| < 1/2: lgamma(1 + x) -
// log |x|. x <= -1/2: reflected, -log(a sin(pi a) / pi) - lgamma(a); there only the sum of the two has an absolute
// error, and not the zeros between them a relative one.
// Measured 4, or 3e-7 absolute below 0.
float eg_lgamma(float x) {
  float a = abs(x);
  bool tiny = a < 0.5;
  bool one = a < 1.5;
  bool two = a < 3.0;
  float t = tiny ? x : (one ? a - 1.0 : (two ? a - 2.0 : a - 4.5));
  float p = one ? 0.0406528227 : 0.0;
  p = EG_FMA(p, t, (one ? -0.170730591 : 0.0));
  p = EG_FMA(p, t, (one ? 0.161389753 : 0.0));
  p = EG_FMA(p, t, (one ? -0.0895481855 : (two ? -0.000140420874 : 6.76627735e-07)));
  p = EG_FMA(p, t, (one ? 0.106964648 : (two ? 0.000554416794 : -6.82228074e-06)));
  p = EG_FMA(p, t, (one ? -0.146398142 : (two ? -0.00126831769 : 3.1869844e-05)));
  p = EG_FMA(p, t, (one ? 0.171784997 : (two ? 0.00289070304 : -0.00018187282)));
  p = EG_FMA(p, t, (one ? -0.207295582 : (two ? -0.00736625353 : 0.00126121927)));
  p = EG_FMA(p, t, (one ? 0.270475537 : (two ? 0.0205795225 : -0.0102630453)));
  p = EG_FMA(p, t, (one ? -0.400686026 : (two ? -0.067353949 : 0.124363355)));
  p = EG_FMA(p, t, (one ? 0.8224684 : (two ? 0.322467089 : 1.38887179)));
  p = EG_FMA(p, t, (one ? -0.577215672 : (two ? 0.422784358 : 2.45373654)));
  float l = eg_log(a);
  float near = two ? t * p : p;
  near = tiny ? near - l : near;
  float inverse = 1.0 / a;
  float far = (a - 0.5) * (l - 1.0) + (0.418938533 + inverse * (0.0833330378 - 0.002746118 * (inverse * inverse)));
  float y = a < 6.0 ? near : far;
  float g = abs(eg_from_integer(a));
  float s = g > 0.25 ? eg_cos_reduced(3.14159274 * (0.5 - g)) : eg_sin_reduced(3.14159274 * g);
  y = x <= -0.5 ? -(eg_log(a * s * 0.318309873) + y) : y;
  y = eg_isinf(x) || (x <= -0.5 && g == 0.0) ? eg_infinity() : y;
  return eg_isnan(x) ? x : y;
}

//@ eg_digamma : eg_log eg_from_integer eg_sin_reduced eg_cos_reduced eg_isnan eg_nan eg_infinity
// The derivative of lgamma. Of a = |x|: below 2 psi(1 + t) = (t - t0) P(t), t0 the zero in two parts, P of degree 9;
// from there log(a) - 1 / (2 a) - R(1 / a^2), R of degree 5. 2^-25 relative. psi(a) = psi(1 + a) - 1 / a below 1, and
// psi(-a) = psi(1 + a) + pi cot(pi a), whose zeros have an absolute error.
// Measured 2; below 0, 3 or 2.2e-6 absolute.
float eg_digamma(float x) {
  float a = abs(x);
  bool small = a < 1.0;
  float t = small ? a : a - 1.0;
  float p = -0.0170734748;
  p = EG_FMA(p, t, 0.100972846);
  p = EG_FMA(p, t, -0.275669098);
  p = EG_FMA(p, t, 0.476567626);
  p = EG_FMA(p, t, -0.61690861);
  p = EG_FMA(p, t, 0.68179661);
  p = EG_FMA(p, t, -0.712403774);
  p = EG_FMA(p, t, 0.752336323);
  p = EG_FMA(p, t, -0.854691088);
  p = EG_FMA(p, t, 1.25038016);
  float apart = t - 0.461632133;
  float near = (apart - 1.24381499e-8) * p;
  float inverse = 1.0 / a;
  float v = inverse * inverse;
  float r = 0.0018457016;
  r = EG_FMA(r, v, -0.00302498997);
  r = EG_FMA(r, v, 0.00383318285);
  r = EG_FMA(r, v, -0.00832504407);
  r = EG_FMA(r, v, 0.0833331198);
  r = EG_FMA(r, v, 1.28948896e-09);
  float far = eg_log(a) - (0.5 * inverse + r);
  float y = a < 2.0 ? near : far;
  float f = eg_from_integer(a);
  float g = abs(f);
  bool upper = g > 0.25;
  float angle = 3.14159274 * (upper ? 0.5 - g : g);
  float s = eg_sin_reduced(angle);
  float c = eg_cos_reduced(angle);
  float cotangent = (upper ? s : c) / (upper ? c : s);
  float reflected = (small ? y : y + inverse) + 3.14159274 * (f < 0.0 ? -cotangent : cotangent);
  float positive = small ? y - inverse : y;
  bool negative = floatBitsToUint(x) >= 0x80000000u;
  y = negative ? reflected : positive;
  y = negative && g == 0.0 ? eg_nan() : y;
  y = x == 0.0 ? (negative ? eg_infinity() : -eg_infinity()) : y;
  return eg_isnan(x) ? x : y;
}

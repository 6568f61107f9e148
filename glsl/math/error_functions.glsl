// Error functions.

//@ eg_erf_near :
// erf x = x + x P(x^2) for |x| < 0.85, P of degree 5, 2^-27 relative.
float eg_erf_near(float x) {
  float v = x * x;
  float p = -0.000634851865;
  p = EG_FMA(p, v, 0.0050577037);
  p = EG_FMA(p, v, -0.0268072877);
  p = EG_FMA(p, v, 0.11282865);
  p = EG_FMA(p, v, -0.376125902);
  p = EG_FMA(p, v, 0.128379166);
  return x + x * p;
}

//@ eg_erf : eg_erf_near eg_exp2_reduced eg_power_of_two eg_copysign eg_isnan
// |x| < 0.85: eg_erf_near, or 2 x / sqrt(pi) where a product in it may be denormal; above: 1 - 2^-(|x| Q(|x|)), which is
// 1 from 3.95 on. Q of degree 5, 2^-28 relative. The two-sided form is known from Juffa's erff; the
// polynomials are ours.
// Measured 1 / 1.
float eg_erf(float x) {
  float near = abs(x) < 1e-18 ? x * 1.12837917 : eg_erf_near(x);
  float t = min(abs(x), 3.95);
  float q = -0.000311413925;
  q = EG_FMA(q, t, 0.00466026552);
  q = EG_FMA(q, t, -0.0330933407);
  q = EG_FMA(q, t, 0.151968956);
  q = EG_FMA(q, t, 0.917066455);
  q = EG_FMA(q, t, 1.62812579);
  float z = -t * q;
  float n = floor(z + 0.5);
  float far = 1.0 - eg_exp2_reduced(z - n) * eg_power_of_two(int(n));
  float y = abs(x) < 0.85 ? near : eg_copysign(far, x);
  return eg_isnan(x) ? x : y;
}

//@ eg_erfc : eg_erf_near eg_exp_minus_square eg_isnan
// |x| < 3/4: 1 - erf x; above: exp(-t^2) Q(u) for t = |x|, u = (t - 3) / (t + 3), Q of degree 10, fitted for t <= 10.1
// (2^-26 relative), where the result vanishes; 2 less it for negative x.
// Measured 4.
float eg_erfc(float x) {
  float t = min(abs(x), 10.1);
  float last;
  float e = eg_exp_minus_square(t, 1.0, last);
  float u = (t - 3.0) / (t + 3.0);
  float q = 7.30076572e-05;
  q = EG_FMA(q, u, 6.2135623e-05);
  q = EG_FMA(q, u, -0.00059077394);
  q = EG_FMA(q, u, 0.000691769063);
  q = EG_FMA(q, u, 0.00426099962);
  q = EG_FMA(q, u, -0.0243879016);
  q = EG_FMA(q, u, 0.0716679245);
  q = EG_FMA(q, u, -0.150116518);
  q = EG_FMA(q, u, 0.245603651);
  q = EG_FMA(q, u, -0.326233536);
  q = EG_FMA(q, u, 0.179001153);
  float y = (q * e) * last;
  y = x < 0.0 ? 2.0 - y : y;
  y = abs(x) < 0.75 ? 1.0 - eg_erf_near(x) : y;
  return eg_isnan(x) ? x : y;
}

//@ eg_erfinv : eg_log eg_copysign eg_infinity eg_nan
// x P(w - 2.5) for w = -log(1 - x^2) < 5, x Q(sqrt(w) - 3) beyond, both of degree 8, 2^-23 relative; 1 - x^2 as a
// product, since 1 - |x| is exact where it is small. The form of Giles, "Approximating the erfinv function" (2010);
// the polynomials are ours.
// Measured 4.
float eg_erfinv(float x) {
  float a = abs(x);
  float w = -eg_log((1.0 - a) * (1.0 + a));
  bool tail = w > 5.0;
  float s = tail ? sqrt(w) - 3.0 : w - 2.5;
  float p = tail ? -0.000152103079 : 2.85526323e-08;
  p = EG_FMA(p, s, (tail ? 8.43409071e-05 : 3.43741021e-07));
  p = EG_FMA(p, s, (tail ? 0.00127403263 : -3.52898337e-06));
  p = EG_FMA(p, s, (tail ? -0.0036574218 : -4.39693258e-06));
  p = EG_FMA(p, s, (tail ? 0.00577672059 : 0.00021860264));
  p = EG_FMA(p, s, (tail ? -0.00762597518 : -0.00125370699));
  p = EG_FMA(p, s, (tail ? 0.00943302829 : -0.00417770818));
  p = EG_FMA(p, s, (tail ? 1.00167418 : 0.246640727));
  p = EG_FMA(p, s, (tail ? 2.83297706 : 1.50140941));
  uint bits = floatBitsToUint(a);
  float y = bits == 0x3f800000u ? eg_copysign(eg_infinity(), x) : x * p;
  return bits <= 0x3f800000u ? y : eg_nan();
}

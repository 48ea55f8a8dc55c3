#ifndef EXO_MATH_H
#define EXO_MATH_H
#define M_E 2.7182818284590452354
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_LN2 0.69314718055994530942
#define EXO_1(f) double f(double x); float f##f(float x);
#define EXO_2(f) double f(double x, double y); float f##f(float x, float y);
EXO_1(sqrt) EXO_1(cbrt) EXO_1(exp) EXO_1(exp2) EXO_1(expm1) EXO_1(log) EXO_1(log2) EXO_1(log10) EXO_1(log1p)
EXO_1(sin) EXO_1(cos) EXO_1(tan) EXO_1(asin) EXO_1(acos) EXO_1(atan) EXO_1(sinh) EXO_1(cosh) EXO_1(tanh)
EXO_1(erf) EXO_1(erfc) EXO_1(fabs) EXO_1(floor) EXO_1(ceil) EXO_1(trunc) EXO_1(round) EXO_1(rint) EXO_1(nearbyint)
EXO_2(pow) EXO_2(fmod) EXO_2(hypot) EXO_2(atan2) EXO_2(fmax) EXO_2(fmin) EXO_2(copysign) EXO_2(fdim)
#define isnan(x) ((x) != (x))
#define INFINITY (__builtin_inff())
#define HUGE_VAL (__builtin_inf())
#define HUGE_VALF (__builtin_inff())
#define NAN (__builtin_nanf(""))
double fma(double x, double y, double z);
float fmaf(float x, float y, float z);
#endif

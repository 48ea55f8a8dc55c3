// What ../zeros.h is about, for complex numbers; as in Fortran, no product looks for infinities.
#if defined(__STDC_NO_COMPLEX__) || defined(__TINYC__)  // C may have none: then no zeros are left out
void *EXO_JOIN(exo_before_, EXO_LETTER)(char kind, const exo_call *c) { return NULL; }
void EXO_JOIN(exo_after_, EXO_LETTER)(char kind, const exo_call *c, void *old) {}
#else
typedef _Complex T N;
static inline N number(T re, T im) {
    const T parts[2] = {re, im};
    N z;
    memcpy(&z, parts, sizeof z);
    return z;
}
#define RE(z) (__real__(z))
#define IM(z) (__imag__(z))
static inline N times(N a, N b) { return number(RE(a) * RE(b) - IM(a) * IM(b), RE(a) * IM(b) + IM(a) * RE(b)); }
static inline N conj_of(N a) { return number(RE(a), -IM(a)); }
static inline N real_of(N a) { return number(RE(a), 0); }
// By R. L. Smith (1962)
static inline N over(N a, N b) {
    const int steep = fabs(RE(b)) < fabs(IM(b));
    const T ratio = steep ? RE(b) / IM(b) : IM(b) / RE(b), by = steep ? IM(b) + RE(b) * ratio : RE(b) + IM(b) * ratio;
    return steep ? number((RE(a) * ratio + IM(a)) / by, (IM(a) * ratio - RE(a)) / by)
                 : number((RE(a) + IM(a) * ratio) / by, (IM(a) - RE(a) * ratio) / by);
}
#include "../zeros.h"
#endif

// What zeros.h is about, for real numbers
typedef T N;
static inline N times(N a, N b) { return a * b; }
static inline N over(N a, N b) { return a / b; }
static inline N conj_of(N a) { return a; }
static inline N real_of(N a) { return a; }
#include "zeros.h"

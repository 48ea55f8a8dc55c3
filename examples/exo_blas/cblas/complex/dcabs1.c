// |re| + |im|

double CBLAS_AS(dcabs1)(const void *z) {
    const double *const parts = z;
    return fabs(parts[0]) + fabs(parts[1]);
}

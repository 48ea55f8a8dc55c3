// |re| + |im|

double CBLAS_AS(dcabs1)(PARAMETERS(dcabs1)) {
    const double *const parts = z;
    return fabs(parts[0]) + fabs(parts[1]);
}

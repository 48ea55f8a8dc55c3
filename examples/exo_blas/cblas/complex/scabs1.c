// |re| + |im|

float CBLAS_AS(scabs1)(PARAMETERS(scabs1)) {
    const float *const parts = z;
    return fabsf(parts[0]) + fabsf(parts[1]);
}

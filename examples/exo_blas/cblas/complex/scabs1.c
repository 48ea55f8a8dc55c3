// |re| + |im|

float CBLAS_AS(scabs1)(const void *z) {
    const float *const parts = z;
    return fabsf(parts[0]) + fabsf(parts[1]);
}

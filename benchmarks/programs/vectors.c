// Matrices by vectors as plain loops: the peers of vectors.py.

void gemver(long n, double alpha, double beta, double a[restrict n][n], const double *restrict u1,
            const double *restrict v1, const double *restrict u2, const double *restrict v2,
            const double *restrict y, const double *restrict z, double *restrict x, double *restrict w) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) a[i][j] += u1[i] * v1[j] + u2[i] * v2[j];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) x[j] += beta * a[i][j] * y[i];
  for (long i = 0; i < n; i++) x[i] += z[i];
  for (long i = 0; i < n; i++) {
    w[i] = 0;
    for (long j = 0; j < n; j++) w[i] += alpha * a[i][j] * x[j];
  }
}

void gesummv(long n, double alpha, double beta, const double a[restrict n][n], const double b[restrict n][n],
             const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0, t = 0;
    for (long j = 0; j < n; j++) {
      s += a[i][j] * x[j];
      t += b[i][j] * x[j];
    }
    y[i] = alpha * s + beta * t;
  }
}

void atax(long m, long n, const double a[restrict m][n], const double *restrict x, double *restrict y) {
  for (long j = 0; j < n; j++) y[j] = 0;
  for (long i = 0; i < m; i++) {
    double s = 0;
    for (long j = 0; j < n; j++) s += a[i][j] * x[j];
    for (long j = 0; j < n; j++) y[j] += a[i][j] * s;
  }
}

void bicg(long m, long n, const double a[restrict m][n], const double *restrict p, const double *restrict r,
          double *restrict q, double *restrict s) {
  for (long j = 0; j < n; j++) s[j] = 0;
  for (long i = 0; i < m; i++) {
    q[i] = 0;
    for (long j = 0; j < n; j++) {
      s[j] += r[i] * a[i][j];
      q[i] += a[i][j] * p[j];
    }
  }
}

void mvt(long n, const double a[restrict n][n], const double *restrict y1, const double *restrict y2,
         double *restrict x1, double *restrict x2) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) x1[i] += a[i][j] * y1[j];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) x2[j] += a[i][j] * y2[i];
}

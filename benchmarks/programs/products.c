// Products of matrices as plain loops: the peers of products.py.

void gemm(long m, long n, long k, double alpha, double beta, const double a[restrict m][k],
          const double b[restrict k][n], double c[restrict m][n]) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < n; j++) c[i][j] *= beta;
    for (long p = 0; p < k; p++)
      for (long j = 0; j < n; j++) c[i][j] += alpha * a[i][p] * b[p][j];
  }
}

void mm2(long m, long n, long k, long q, double alpha, double beta, const double a[restrict m][k],
         const double b[restrict k][n], const double c[restrict n][q], double t[restrict m][n],
         double d[restrict m][q]) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < n; j++) t[i][j] = 0;
    for (long p = 0; p < k; p++)
      for (long j = 0; j < n; j++) t[i][j] += alpha * a[i][p] * b[p][j];
  }
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < q; j++) d[i][j] *= beta;
    for (long p = 0; p < n; p++)
      for (long j = 0; j < q; j++) d[i][j] += t[i][p] * c[p][j];
  }
}

void mm3(long m, long n, long k, long q, long r, const double a[restrict m][k], const double b[restrict k][n],
         const double c[restrict n][q], const double d[restrict q][r], double e[restrict m][n],
         double f[restrict n][r], double g[restrict m][r]) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < n; j++) e[i][j] = 0;
    for (long p = 0; p < k; p++)
      for (long j = 0; j < n; j++) e[i][j] += a[i][p] * b[p][j];
  }
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < r; j++) f[i][j] = 0;
    for (long p = 0; p < q; p++)
      for (long j = 0; j < r; j++) f[i][j] += c[i][p] * d[p][j];
  }
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < r; j++) g[i][j] = 0;
    for (long p = 0; p < n; p++)
      for (long j = 0; j < r; j++) g[i][j] += e[i][p] * f[p][j];
  }
}

void symm(long m, long n, double alpha, double beta, const double a[restrict m][m], const double b[restrict m][n],
          double c[restrict m][n]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) c[i][j] *= beta;
  for (long i = 0; i < m; i++) {
    for (long p = 0; p < i; p++) {
      for (long j = 0; j < n; j++) c[i][j] += alpha * a[i][p] * b[p][j];
      for (long j = 0; j < n; j++) c[p][j] += alpha * a[i][p] * b[i][j];
    }
    for (long j = 0; j < n; j++) c[i][j] += alpha * a[i][i] * b[i][j];
  }
}

void syrk(long n, long k, double alpha, double beta, const double a[restrict n][k], double c[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++) {
      c[i][j] *= beta;
      for (long p = 0; p < k; p++) c[i][j] += alpha * a[i][p] * a[j][p];
    }
}

void syr2k(long n, long k, double alpha, double beta, const double a[restrict n][k], const double b[restrict n][k],
           double c[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++) {
      c[i][j] *= beta;
      for (long p = 0; p < k; p++) c[i][j] += alpha * (a[i][p] * b[j][p] + b[i][p] * a[j][p]);
    }
}

void trmm(long m, long n, double alpha, const double a[restrict m][m], double b[restrict m][n]) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < n; j++) b[i][j] *= alpha * a[i][i];
    for (long p = i + 1; p < m; p++)
      for (long j = 0; j < n; j++) b[i][j] += alpha * a[i][p] * b[p][j];
  }
}

void doitgen(long r, long q, long p, double x[restrict r][q][p], const double w[restrict p][p]) {
  double row[p];
  for (long i = 0; i < r; i++)
    for (long j = 0; j < q; j++) {
      for (long k = 0; k < p; k++) row[k] = 0;
      for (long s = 0; s < p; s++)
        for (long k = 0; k < p; k++) row[k] += x[i][j][s] * w[s][k];
      for (long k = 0; k < p; k++) x[i][j][k] = row[k];
    }
}

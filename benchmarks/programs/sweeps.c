// Grids that are swept step by step, as plain loops: the peers of sweeps.py.

void jacobi_1d(long steps, long n, double *restrict a, double *restrict b) {
  for (long t = 0; t < steps; t++) {
    for (long i = 1; i < n - 1; i++) b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
    for (long i = 1; i < n - 1; i++) a[i] = 0.25 * b[i - 1] + 0.5 * b[i] + 0.25 * b[i + 1];
  }
}

void jacobi_2d(long steps, long n, double a[restrict n][n], double b[restrict n][n]) {
  for (long t = 0; t < steps; t++) {
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        b[i][j] = 0.2 * (a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j]);
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        a[i][j] = 0.2 * (b[i - 1][j] + b[i][j - 1] + b[i][j] + b[i][j + 1] + b[i + 1][j]);
  }
}

void seidel_2d(long steps, long n, double a[restrict n][n]) {
  for (long t = 0; t < steps; t++)
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        a[i][j] = 1.0 / 9.0 *
                  (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                   a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]);
}

void heat_3d(long steps, long n, double a[restrict n][n][n], double b[restrict n][n][n]) {
  for (long t = 0; t < steps; t++) {
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        for (long k = 1; k < n - 1; k++)
          b[i][j][k] = 0.25 * a[i][j][k] + 0.125 * (a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] +
                                                    a[i][j + 1][k] + a[i][j][k - 1] + a[i][j][k + 1]);
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        for (long k = 1; k < n - 1; k++)
          a[i][j][k] = 0.25 * b[i][j][k] + 0.125 * (b[i - 1][j][k] + b[i + 1][j][k] + b[i][j - 1][k] +
                                                    b[i][j + 1][k] + b[i][j][k - 1] + b[i][j][k + 1]);
  }
}

void fdtd_2d(long steps, long nx, long ny, double ex[restrict nx][ny], double ey[restrict nx][ny],
             double hz[restrict nx][ny], const double *restrict source) {
  for (long t = 0; t < steps; t++) {
    for (long j = 0; j < ny; j++) ey[0][j] = source[t];
    for (long i = 1; i < nx; i++)
      for (long j = 0; j < ny; j++) ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (long i = 0; i < nx; i++)
      for (long j = 1; j < ny; j++) ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (long i = 0; i < nx - 1; i++)
      for (long j = 0; j < ny - 1; j++) hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

void adi(long steps, long n, double a, double u[restrict n][n], double v[restrict n][n], double q[restrict n][n],
         double *restrict p, double *restrict g) {
  p[0] = 0;
  for (long k = 1; k < n - 1; k++) {
    g[k] = 1 / (1 + 2 * a - a * p[k - 1]);
    p[k] = a * g[k];
  }
  for (long t = 0; t < steps; t++) {
    for (long j = 1; j < n - 1; j++) {
      q[0][j] = v[0][j] = u[0][j];
      v[n - 1][j] = u[n - 1][j];
    }
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        q[i][j] = g[i] * (u[i][j] + a * (u[i][j - 1] - 2 * u[i][j] + u[i][j + 1]) + a * q[i - 1][j]);
    for (long i = n - 2; i > 0; i--)
      for (long j = 1; j < n - 1; j++) v[i][j] = p[i] * v[i + 1][j] + q[i][j];
    for (long i = 1; i < n - 1; i++) {
      q[i][0] = u[i][0];
      for (long j = 1; j < n - 1; j++)
        q[i][j] = g[j] * (v[i][j] + a * (v[i - 1][j] - 2 * v[i][j] + v[i + 1][j]) + a * q[i][j - 1]);
      for (long j = n - 2; j > 0; j--) u[i][j] = p[j] * u[i][j + 1] + q[i][j];
    }
  }
}

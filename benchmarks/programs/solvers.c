// Factorizations and systems of equations as plain loops: the peers of solvers.py.

#include <math.h>

void cholesky(long n, double a[restrict n][n]) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < i; j++) {
      for (long k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
    for (long k = 0; k < i; k++) a[i][i] -= a[i][k] * a[i][k];
    a[i][i] = sqrt(a[i][i]);
  }
}

void lu(long n, double a[restrict n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = k + 1; i < n; i++) {
      a[i][k] /= a[k][k];
      for (long j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j];
    }
}

void ludcmp(long n, double a[restrict n][n], const double *restrict b, double *restrict y, double *restrict x) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < i; k++) {
      a[i][k] /= a[k][k];
      for (long j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j];
    }
  for (long i = 0; i < n; i++) {
    y[i] = b[i];
    for (long k = 0; k < i; k++) y[i] -= a[i][k] * y[k];
  }
  for (long i = n - 1; i >= 0; i--) {
    x[i] = y[i];
    for (long k = i + 1; k < n; k++) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
}

void trisolv(long n, const double a[restrict n][n], const double *restrict b, double *restrict x) {
  for (long i = 0; i < n; i++) {
    x[i] = b[i];
    for (long k = 0; k < i; k++) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
}

void durbin(long n, const double *restrict r, double *restrict y) {
  double z[n], alpha = -r[0], beta = 1;
  y[0] = -r[0];
  for (long k = 1; k < n; k++) {
    beta *= 1 - alpha * alpha;
    double s = r[k];
    for (long i = 0; i < k; i++) s += r[k - 1 - i] * y[i];
    alpha = -s / beta;
    for (long i = 0; i < k; i++) z[i] = y[i] + alpha * y[k - 1 - i];
    for (long i = 0; i < k; i++) y[i] = z[i];
    y[k] = alpha;
  }
}

void gramschmidt(long m, long n, double a[restrict m][n], double q[restrict m][n], double r[restrict n][n]) {
  for (long k = 0; k < n; k++) {
    double square = 0;
    for (long i = 0; i < m; i++) square += a[i][k] * a[i][k];
    r[k][k] = sqrt(square);
    for (long i = 0; i < m; i++) q[i][k] = a[i][k] / r[k][k];
    for (long j = k + 1; j < n; j++) r[k][j] = 0;
    for (long i = 0; i < m; i++)
      for (long j = k + 1; j < n; j++) r[k][j] += q[i][k] * a[i][j];
    for (long i = 0; i < m; i++)
      for (long j = k + 1; j < n; j++) a[i][j] -= q[i][k] * r[k][j];
  }
}

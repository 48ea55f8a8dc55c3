// Statistics of observations as plain loops: the peers of statistics.py.

#include <math.h>

void covariance(long n, long m, double x[restrict n][m], double *restrict mean, double c[restrict m][m]) {
  for (long j = 0; j < m; j++) mean[j] = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) mean[j] += x[i][j];
  for (long j = 0; j < m; j++) mean[j] /= n;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) x[i][j] -= mean[j];
  for (long i = 0; i < m; i++) {
    for (long j = i; j < m; j++) c[i][j] = 0;
    for (long k = 0; k < n; k++)
      for (long j = i; j < m; j++) c[i][j] += x[k][i] * x[k][j];
    for (long j = i; j < m; j++) {
      c[i][j] /= n - 1.0;
      c[j][i] = c[i][j];
    }
  }
}

void correlation(long n, long m, double x[restrict n][m], double *restrict mean, double *restrict dev,
                 double c[restrict m][m]) {
  for (long j = 0; j < m; j++) mean[j] = dev[j] = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) mean[j] += x[i][j];
  for (long j = 0; j < m; j++) mean[j] /= n;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) {
      x[i][j] -= mean[j];
      dev[j] += x[i][j] * x[i][j];
    }
  for (long j = 0; j < m; j++) {
    dev[j] = sqrt(dev[j] / n);
    if (dev[j] <= 0.1) dev[j] = 1;
  }
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) x[i][j] /= sqrt(n) * dev[j];
  for (long i = 0; i < m; i++) {
    c[i][i] = 1;
    for (long j = i + 1; j < m; j++) c[i][j] = 0;
    for (long k = 0; k < n; k++)
      for (long j = i + 1; j < m; j++) c[i][j] += x[k][i] * x[k][j];
    for (long j = i + 1; j < m; j++) c[j][i] = c[i][j];
  }
}

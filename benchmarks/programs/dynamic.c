// Dynamic programming as plain loops: the peers of dynamic.py.

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))

void floyd_warshall(long n, double d[restrict n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++) d[i][j] = MIN(d[i][j], d[i][k] + d[k][j]);
}

void nussinov(long n, const double *restrict s, double t[restrict n][n]) {
  for (long i = n - 1; i >= 0; i--)
    for (long j = i + 1; j < n; j++) {
      t[i][j] = t[i + 1][j];
      if (i + 1 < j && s[i] + s[j] == 3) t[i][j] = MAX(t[i][j], t[i + 1][j - 1] + 1);
      for (long k = i; k < j; k++) t[i][j] = MAX(t[i][j], t[i][k] + t[k + 1][j]);
    }
}

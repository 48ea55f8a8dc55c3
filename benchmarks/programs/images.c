// Filters of images as plain loops: the peers of images.py.

void deriche(long h, long w, double a0, double a1, double a2, double a3, double b1, double b2,
             const double x[restrict h][w], double p[restrict h][w], double q[restrict h][w],
             double y[restrict h][w]) {
  for (long i = 0; i < h; i++) {
    p[i][0] = a0 * x[i][0];
    p[i][1] = a0 * x[i][1] + a1 * x[i][0] + b1 * p[i][0];
    for (long j = 2; j < w; j++) p[i][j] = a0 * x[i][j] + a1 * x[i][j - 1] + b1 * p[i][j - 1] + b2 * p[i][j - 2];
  }
  for (long i = 0; i < h; i++) {
    q[i][w - 1] = 0;
    q[i][w - 2] = a2 * x[i][w - 1];
    for (long j = w - 3; j >= 0; j--)
      q[i][j] = a2 * x[i][j + 1] + a3 * x[i][j + 2] + b1 * q[i][j + 1] + b2 * q[i][j + 2];
  }
  for (long i = 0; i < h; i++)
    for (long j = 0; j < w; j++) y[i][j] = p[i][j] + q[i][j];
  for (long j = 0; j < w; j++) {
    p[0][j] = a0 * y[0][j];
    p[1][j] = a0 * y[1][j] + a1 * y[0][j] + b1 * p[0][j];
  }
  for (long i = 2; i < h; i++)
    for (long j = 0; j < w; j++) p[i][j] = a0 * y[i][j] + a1 * y[i - 1][j] + b1 * p[i - 1][j] + b2 * p[i - 2][j];
  for (long j = 0; j < w; j++) {
    q[h - 1][j] = 0;
    q[h - 2][j] = a2 * y[h - 1][j];
  }
  for (long i = h - 3; i >= 0; i--)
    for (long j = 0; j < w; j++)
      q[i][j] = a2 * y[i + 1][j] + a3 * y[i + 2][j] + b1 * q[i + 1][j] + b2 * q[i + 2][j];
  for (long i = 0; i < h; i++)
    for (long j = 0; j < w; j++) y[i][j] = p[i][j] + q[i][j];
}

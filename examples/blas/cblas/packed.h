// Packed triangles, row-major: row i of a lower one has the columns 0 to i, of an upper one i to n - 1, and the rows
// follow each other without gaps. Two of them are a rectangle, which is a matrix whose rows are as far apart as these
// two, and a corner at the diagonal, which is a triangle of 2 x 2. If n is odd, the row of one element stays alone.

struct pair {
    T *rectangle, *corner;      // the first elements
    int64_t columns, from, lda; // of the rectangle, the first of them, and how far its rows are apart
    int64_t at, edge;           // the rows at, at + 1; how far the corner's are apart
};

// Pair k of n / 2, from the top.
static inline struct pair exo_pair(int lower, const T *ap, int64_t n, int64_t k) {
    int64_t i = 2 * k + (lower ? n % 2 : 0);
    T *row = (T *)ap + (lower ? i * (i + 1) / 2 : i * n - i * (i - 1) / 2);
    if (lower) return (struct pair){row, row + i, i, 0, i + 1, i, i + 1};
    return (struct pair){row + 2, row, n - i - 2, i + 2, n - i - 1, i, n - i - 1};
}

// The row that stays alone, and its element.
#define ALONE (lower ? 0 : n - 1)
#define ALONE_OF(ap) (lower ? (ap) : (ap) + (int64_t)n * (n + 1) / 2 - 1)

// For each pair p of a triangle ap, from the top or from the bottom.
#define PAIRS(p, ap, down)                                                                           \
    for (int64_t k_ = 0; k_ < n / 2; k_++)                                                           \
        for (struct pair p = exo_pair(lower, ap, n, (down) ? k_ : n / 2 - 1 - k_), *once_ = &p; once_; once_ = NULL)

#define RECTANGLE(p) IN2((p).rectangle, (p).lda, 1)
#define CORNER(p) IN2((p).corner, (p).edge, 1)

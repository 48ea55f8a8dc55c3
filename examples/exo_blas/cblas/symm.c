// C := alpha A B + beta C or alpha B A + beta C, for a symmetric A

DEFINE(symm, const int rows = ROW_MAJOR(layout), left = (side == CblasLeft) == rows, lower = LOWER(layout, uplo);
    const int64_t height = rows ? m : n, width = rows ? n : m;  // columns are the rows of the transposed
    PRODUCT(height, width, 0, 0, a, 0, 1, b, 0, 1, beta, c, ldc);
    if (m > 0 && n > 0 && alpha != 0)
        (left ? lower ? KERNEL(symm_left_lower) : KERNEL(symm_left_upper)
              : lower ? KERNEL(symm_right_lower) : KERNEL(symm_right_upper))(height, width, &alpha, IN2(a, lda, 1),
            IN2(b, ldb, 1), OUT2(c, ldc, 1)))

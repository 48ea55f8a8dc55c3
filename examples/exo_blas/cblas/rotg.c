// The rotation that takes (a, b) to (r, 0). No loop, so no kernel. Scaled, so that squares are of middle size.

APART void rotate(T *a, T *b, T *c, T *s) {
    T size_a = (T)fabs(*a), size_b = (T)fabs(*b);
    if (size_a == 0) {
        *c = 0, *s = 1, *a = *b, *b = 1;
        return;
    }
    T least = sizeof(T) == 4 ? (T)0x1p-126 : (T)0x1p-1022, most = 1 / least;
    T scale = size_a > size_b ? size_a : size_b;
    scale = scale < least ? least : scale > most ? most : scale;
    T p = *a / scale, q = *b / scale, r = scale * (T)sqrt(p * p + q * q);
    if ((size_a > size_b ? *a : *b) < 0) r = -r;
    *c = *a / r, *s = *b / r;
    *b = size_a > size_b ? *s : *c != 0 ? 1 / *c : 1;
    *a = r;
}

void CBLAS(rotg)(PARAMETERS(rotg)) {
    if (*b != 0) rotate(a, b, c, s);
    else *c = 1, *s = 0, *b = 0;
}

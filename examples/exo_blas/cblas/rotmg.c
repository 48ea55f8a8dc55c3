// The modified rotation H that takes (sqrt(d1) x1, sqrt(d2) y1) to a multiple of (1, 0). No loop, so no kernel.

#define GAMMA 4096

static void EXO_JOIN(exo_rescale_, EXO_LETTER)(T *d, T *x, T *h, T *g) {
    if (*d == 0) return;
    for (int k = 0; k < 1000 && fabs(*d) <= 1.0 / (GAMMA * GAMMA); k++) {
        *d *= (T)GAMMA * GAMMA, *h /= GAMMA, *g /= GAMMA;
        if (x) *x /= GAMMA;
    }
    for (int k = 0; k < 1000 && fabs(*d) >= (double)GAMMA * GAMMA; k++) {
        *d /= (T)GAMMA * GAMMA, *h *= GAMMA, *g *= GAMMA;
        if (x) *x *= GAMMA;
    }
}

APART void rotation(T *d1, T *d2, T *b1, T b2, T *param) {
    T h11 = 0, h12 = 0, h21 = 0, h22 = 0, flag = -1;
    T p2 = *d2 * b2, p1 = *d1 * *b1, q2 = p2 * b2, q1 = p1 * *b1;
    if (*d1 < 0) {
        *d1 = *d2 = *b1 = 0;
    } else if (fabs(q1) > fabs(q2)) {
        h21 = -b2 / *b1, h12 = p2 / p1;
        T u = 1 - h12 * h21;
        if (u > 0) flag = 0, *d1 /= u, *d2 /= u, *b1 *= u;
        else h12 = h21 = *d1 = *d2 = *b1 = 0;
    } else if (q2 < 0) {
        *d1 = *d2 = *b1 = 0;
    } else {
        flag = 1, h11 = p1 / p2, h22 = *b1 / b2;
        T u = 1 + h11 * h22, t = *d2 / u;
        *d2 = *d1 / u, *d1 = t, *b1 = b2 * u;
    }
    T low = (T)(1.0 / (GAMMA * GAMMA)), high = (T)GAMMA * GAMMA;
    int rescale = flag >= 0 && ((*d1 != 0 && (*d1 <= low || *d1 >= high)) ||
                                (*d2 != 0 && (fabs(*d2) <= low || fabs(*d2) >= high)));
    if (rescale) {
        if (flag == 0) h11 = h22 = 1;
        else h12 = 1, h21 = -1;
        flag = -1;
        EXO_JOIN(exo_rescale_, EXO_LETTER)(d1, b1, &h11, &h12);
        EXO_JOIN(exo_rescale_, EXO_LETTER)(d2, 0, &h21, &h22);
    }
    param[0] = flag;
    if (flag < 0) param[1] = h11, param[2] = h21, param[3] = h12, param[4] = h22;
    else if (flag == 0) param[2] = h21, param[3] = h12;
    else param[1] = h11, param[4] = h22;
}

void CBLAS(rotmg)(PARAMETERS(rotmg)) {
    if (*d1 < 0 || *d2 * b2 != 0) rotation(d1, d2, b1, b2, param);
    else param[0] = -2;
}

#ifndef EXO_OMP_H
#define EXO_OMP_H
int omp_get_num_threads(void);
int omp_get_thread_num(void);
#endif

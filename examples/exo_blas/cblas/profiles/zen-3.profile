# Zen 3: exo-blas tune --minutes 8 (docs/performance.md); without copy_far, of which it
# doesn't see that what was copied is read again, and vector_shared, which costs one thread some.
avx2 matrix_far 4485921  # 1.07 times as fast as with 524288
avx2 matrix_far_alike 59447798  # 1.48 times as fast as with 6291456
avx2 gemv_shared 104254  # 1.04 times as fast as with 262144
avx2 gemv_long 60426  # 1.07 times as fast as with 6144
avx2 ger_ordered 42462714  # 1.15 times as fast as with 2097152
avx2 ger_ordered_apart 60661038  # 1.22 times as fast as with 12582912
avx2 gemm_shared 327680  # 1.15 times as fast as with 2097152
avx2 gemm_near 24576  # 1.05 times as fast as with 65536
avx2 gemm_slim 42  # 1.04 times as fast as with 64
avx2 gemm_dots 204  # 1.06 times as fast as with 256
avx2 gemm_few_products 618  # 1.11 times as fast as with 64
avx2 gemm_far 1433600  # 1.20 times as fast as with 2097152
avx2 gemm_many_columns 118  # 1.08 times as fast as with 192
avx2 gemm_few_rows 34  # 1.05 times as fast as with 48
avx2 gemm_few_rows_short 34  # 1.04 times as fast as with 48

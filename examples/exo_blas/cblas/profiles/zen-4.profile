# Zen 4: exo-blas tune (docs/performance.md), for AVX2 from the numbers of Zen 3 on, which stay where nothing was better;
# without copy_far, of which it didn't see that what was copied is read again, and vector_shared, which costs one thread
# some.
avx2 copy_moved 269162  # 1.04 times as fast as with 24576
avx2 matrix_far 4485921
avx2 matrix_far_alike 25121280  # 1.07 times as fast as with 59447798
avx2 gemv_shared 204337  # 1.04 times as fast as with 104254
avx2 gemv_long 6647  # 1.07 times as fast as with 60426
avx2 ger_wide 18  # 1.12 times as fast as with 24
avx2 ger_ordered 17943771  # 1.20 times as fast as with 42462714
avx2 ger_ordered_apart 18309977  # 1.18 times as fast as with 60661038
avx2 gemm_shared 327680
avx2 gemm_near 24576
avx2 gemm_slim 42
avx2 gemm_dots 204
avx2 gemm_dots_turned 25  # 1.11 times as fast as with 16
avx2 gemm_few_bytes 51  # 1.25 times as fast as with 16
avx2 gemm_few_products 186  # 1.05 times as fast as with 618
avx2 gemm_far 1433600
avx2 gemm_many_columns 118
avx2 gemm_few_rows 34
avx2 gemm_few_rows_short 66  # 1.06 times as fast as with 34
avx2 gemm_large 2252800  # 1.06 times as fast as with 8388608
avx512 vector_wide no limit  # 1.07 times as fast as with 768
avx512 copy_moved 269162  # 1.04 times as fast as with 24576
avx512 matrix_far_alike 25121280  # 1.36 times as fast as with 12582912
avx512 gemv_shared 74467  # 1.11 times as fast as with 262144
avx512 gemv_panel 16  # 1.17 times as fast as with 48
avx512 ger_wide 18  # 1.11 times as fast as with 24
avx512 ger_ordered 12816979  # 1.12 times as fast as with 2097152
avx512 gemm_shared 327680  # 1.28 times as fast as with 2097152
avx512 gemm_few_bytes 51  # 1.23 times as fast as with 16
avx512 gemm_few_products 133  # 1.05 times as fast as with 64
avx512 gemm_far 21588680  # 1.24 times as fast as with 2097152
avx512 gemm_few_rows 17  # 1.05 times as fast as with 48
avx512 gemm_ahead_narrow 1024  # 1.07 times as fast as with 64

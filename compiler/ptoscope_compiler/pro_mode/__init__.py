"""Pro mode: kernels of `pypto_pro.language`, traced straight to a PTO program."""

"""Stand-ins for `pypto`, `pypto_pro` and `torch_npu`: a user's script runs unmodified, its kernels on the simulated NPU."""

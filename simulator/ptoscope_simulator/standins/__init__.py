"""Stand-ins for `pypto`, `pypto_pro` and `torch_npu`: scripts run unmodified, their kernels on the simulated NPU."""

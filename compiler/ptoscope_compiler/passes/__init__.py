"""The passes from Tensor Graph to scheduled blocks, one file each, and the manager that runs them in order."""

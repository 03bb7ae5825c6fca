"""The folder that goes on `sys.path`: each package here answers to the name of a package of the NPU's software."""

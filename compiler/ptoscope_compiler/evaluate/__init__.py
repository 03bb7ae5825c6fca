"""A partial evaluator for the Python that kernels and their hosts use.

It reads syntax; it never runs the user's code.
"""

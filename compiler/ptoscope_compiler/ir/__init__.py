"""Graphs of a kernel between its source and its PTO program."""

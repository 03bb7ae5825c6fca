"""Objects of a running Python process as values of the evaluator."""

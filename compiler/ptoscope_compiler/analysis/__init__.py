"""What is found in files of a workspace without ever running them: queries from source text to diagnostics."""

"""Findings for readers: plain text, JSON, SARIF and the annotations of GitHub."""

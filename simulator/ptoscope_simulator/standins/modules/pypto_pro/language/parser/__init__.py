"""Stand-in for `pypto_pro.language.parser`."""

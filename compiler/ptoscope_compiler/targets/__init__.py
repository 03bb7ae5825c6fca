"""One data file per chip, and its reader."""
